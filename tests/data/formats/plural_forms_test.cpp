// Plural-Forms of real catalogues and of hostile ones.
#include "data/formats/plural_forms.h"

#include <doctest/doctest.h>

namespace calque {
namespace {

// The forms of the numbers below, as Python's gettext selects them.
TEST_CASE("the expressions of languages select the forms that gettext selects") {
  constexpr uint64_t numbers[] = {0,  1,   2,   3,   5,   7,   11,  12,  21,
                                  22, 101, 102, 103, 111, 112, 121, 1000};
  struct Example {
    const char *language, *field, *forms;
  };
  constexpr Example examples[] = {
      {"ru",
       "nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || "
       "n%100>=20) ? 1 : 2);",
       "20112222010112202"},
      {"pl",
       "nplurals=3; plural=(n==1 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2);",
       "20112222212112222"},
      {"ar",
       "nplurals=6; plural=n==0 ? 0 : n==1 ? 1 : n==2 ? 2 : n%100>=3 && n%100<=10 ? 3 : n%100>=11 "
       "? 4 : 5;",
       "01233344445534445"},
      {"sl", "nplurals=4; plural=(n%100==1 ? 1 : n%100==2 ? 2 : n%100==3 || n%100==4 ? 3 : 0);",
       "01230000001230000"},
      {"cs", "nplurals=3; plural=(n==1) ? 0 : (n>=2 && n<=4) ? 1 : 2;", "20112222222222222"},
      {"ga", "nplurals=5; plural=n==1 ? 0 : n==2 ? 1 : (n>2 && n<7) ? 2 :(n>6 && n<11) ? 3 : 4;",
       "40122344444444444"},
      {"ja", "nplurals=1; plural=0;", "00000000000000000"},
      {"fr", "nplurals=2; plural=(n > 1);", "00111111111111111"},
      {"de", "nplurals=2; plural=(n != 1)", "10111111111111111"},
      {"lv", "nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n != 0 ? 1 : 2);",
       "20111111010111101"},
  };
  for (const Example& each : examples) {
    const ReadPluralForms read = read_plural_forms(each.field);
    REQUIRE_MESSAGE(read.forms, each.language << ": " << read.problem);
    std::string forms;
    for (const uint64_t n : numbers) forms += std::to_string(read.forms->form_of(n));
    CHECK_MESSAGE(forms == each.forms, each.language);
  }
  CHECK(read_plural_forms("nplurals=6; plural=0;\nLanguage: ar\n").forms->count() == 6);
}

TEST_CASE("operators bind as in C") {
  const auto form = [](const std::string& expression, uint64_t n) {
    return read_plural_forms("nplurals=100;plural=" + expression).forms.value().form_of(n);
  };
  CHECK(form("2+3*4-1", 0) == 13);
  CHECK(form("20-3-2", 0) == 15);
  CHECK(form("n>1==0 || n<5 && 0", 7) == 0);
  CHECK(form("n ? n%3 ? 1 : 2 : 3", 3) == 2);
  CHECK(form("n && 6/n", 0) == 0);
  CHECK(form("!n+!!n*5", 3) == 5);
  CHECK(form("!!!(n!=1)", 1) == 1);
  CHECK(form("(n<=2)*8+(n>=2)*4+n%2", 2) == 12);
}

TEST_CASE("what gettext cannot read is refused with the reason") {
  const auto problem = [](const std::string& field) { return read_plural_forms(field).problem; };
  CHECK(problem("") == "'nplurals=' is missing");
  CHECK(problem("nplurals=2; plural") == "'plural=' is missing");
  CHECK(problem("nplurals=0; plural=0") == "nplurals must be a number from 1 to 100");
  CHECK(problem("nplurals=101; plural=0") == "nplurals must be a number from 1 to 100");
  CHECK(problem("nplurals=2; plural=") == "the expression is not complete");
  CHECK(problem("nplurals=2; plural=n ? 1") == "':' is missing");
  CHECK(problem("nplurals=2; plural=(n") == "')' is missing");
  CHECK(problem("nplurals=2; plural=n==1)") == "')' is left over");
  CHECK(problem("nplurals=2; plural=n=1") == "'=1' is left over");
  CHECK(problem("nplurals=2; plural=m") == "'m' is no operand");
  CHECK(problem("nplurals=2; plural=n") == "selects form 2 for n = 2, but nplurals is 2");
  CHECK(problem("nplurals=2; plural=1/n") == "a division by 0 for n = 0");
  CHECK(
      problem("nplurals=2; plural=0-1").starts_with("selects form 18446744073709551615 for n = 0"));
  const std::string deep(150, '(');
  CHECK(problem("nplurals=2; plural=" + deep) == "the expression is nested too deeply");
  CHECK(problem("nplurals=2; plural=" + std::string(5000, '!')) == "has more than 2000 bytes");
  std::string sum = "0";
  for (int i = 0; i < 900; ++i) sum += "+0";
  CHECK(problem("nplurals=2; plural=" + sum).empty());
}

}  // namespace
}  // namespace calque
