// Signs of bad lines, which texts of ordinary languages do not have.
#include <doctest/doctest.h>

#include "data/cleaning/line_signs.h"
#include "data/cleaning/pair_signs.h"
#include "data/cleaning/usual_letters.h"
#include "data/text/script.h"

using namespace calque;

TEST_CASE("the script of a text is that of most of its letters") {
  CHECK(main_script("M\u00e4dchen") == "Latin");
  CHECK(main_script("\u043a\u043e\u0442 = cat, 2") == "Cyrillic");
  CHECK(main_script("\u732b\u306f\u5c0f\u3055\u3044") == "Han or Kana");
  CHECK(main_script("\uace0\uc591\uc774") == "Hangul");
  CHECK(main_script("\u03b3\u03ac\u03c4\u03b1") == "Greek");
  CHECK(main_script("12, 3.").empty());
  CHECK(main_script("").empty());
}

TEST_CASE("HTML is told from comparisons and ampersands") {
  for (const char* text :
       {"a<br>b", "</p>", "<a href='x'>y", "Tom &amp; Jerry", "&#233;", "&nbsp;"}) {
    CAPTURE(text);
    CHECK(has_markup(text));
  }
  for (const char* text : {"a < b and c > d", "1<2", "Tom & Jerry;", "AT&T", "<", ""}) {
    CAPTURE(text);
    CHECK_FALSE(has_markup(text));
  }
}

TEST_CASE("mojibake is told from the letters of French, Portuguese, Romanian and Vietnamese") {
  for (const char* text :
       {"f\u00c3\u00bcr", "it\u00e2\u20ac\u2122s", "20 \u00c2\u00b0C", "a\ufffd"}) {
    CAPTURE(text);
    CHECK(has_mojibake(text));
  }
  for (const char* text :
       {"f\u00fcr", "\u201cMANH\u00c3\u201d", "\u00c2ge", "IRM\u00c3O", "p\u00e2t\u00e9",
        "H\u00e2t, c\u1ea5u", "\u00e2", "it\u2019s", "20 \u00b0C"}) {
    CAPTURE(text);
    CHECK_FALSE(has_mojibake(text));
  }
}

TEST_CASE("a text reads like the language whose words it has") {
  WordProfile english, german;
  for (int i = 0; i < 20; ++i) {
    english.add("the dog and the cat in Berlin");
    german.add("der Hund und die Katze in Berlin");
  }
  CHECK(reads_like("the cat", english, german));
  CHECK_FALSE(reads_like("the cat", german, english));
  CHECK_FALSE(reads_like("in Berlin", german, english));
  CHECK_FALSE(reads_like("neue Worte", german, english));
  CHECK_FALSE(reads_like("", german, english));
}

TEST_CASE("letters in a row are unusual in another language, with known words or without") {
  UsualLetters english;
  const char* words[] = {"the", "dog", "house", "street", "old", "sees", "through", "man", "with"};
  for (int i = 0; i < 2000; ++i) {
    std::string line;
    for (int k = 0; k < 4 + i % 5; ++k) line += std::string(words[(i * 7 + k * k * 3) % 9]) + " ";
    english.add(line);
  }
  english.measure();
  CHECK(*english.deviation("the old man sees the street") > -2);
  CHECK(*english.deviation("THE OLD MAN SEES, 12, THE STREET") > -2);
  CHECK(*english.deviation("gizon zaharrak kalea ikusten du") < -3);
  CHECK(*english.deviation("zer gizon zahar") > *english.deviation("zer gizon zahar zer gizon"));
  CHECK_FALSE(english.deviation("zer gizon").has_value());  // little proves nothing
  CHECK_FALSE(english.deviation("12, 13").has_value());
  CHECK_FALSE(UsualLetters().deviation("").has_value());
}
