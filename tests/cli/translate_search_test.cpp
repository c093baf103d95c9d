// How calque translate searches: options of the search, prefixes, samples, confidence and
// shortlists.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <sstream>

#include "cli/program.h"
#include "cli/trained.h"
#include "cli/translating.h"

namespace calque {
namespace {

TEST_CASE("--mbr takes a sample, the same one each time, and needs a number") {
  const std::string once = translate("a b c\\n", "--mbr 8 --scores").out;
  CHECK(count_lines(once) == 1);
  CHECK(translate("a b c\\n", "--mbr 8 --scores").out == once);
  CHECK(translate("a b c\\n", "--set decoding.mbr=8 --scores").out == once);
  CHECK(translate("a b c\\n", "--mbr 8 --mbr-metric bleu").status == 0);
  CHECK(translate("a b c\\n", "--mbr 8 --scores --set decoding.max_length=60").out == once);
  CHECK(translate("a", "--mbr 0").status == 2);
  CHECK(translate("a", "--mbr-metric chrf").status == 2);
  CHECK(translate("a", "--mbr 2 --mbr-metric ter").status == 2);
}

TEST_CASE("translate writes n-best lists as Moses does") {
  const CommandResult ran = translate("a b\\n\\nc\\n", "--n-best 2 --beam 3");
  CHECK(ran.status == 0);
  CHECK(count_lines(ran.out) == 5);
  CHECK(ran.out.starts_with("0 ||| "));
  CHECK(ran.out.find("\n1 |||  ||| 0.0000 0.0000\n2 ||| ") != std::string::npos);
}

TEST_CASE("--alignment links each word of the translation to a word of the source") {
  const CommandResult ran = translate("a b c\\n\\nd\\n", "--alignment");
  CHECK(ran.status == 0);
  std::istringstream out(ran.out);
  for (const int words_read : {3, 0, 1}) {
    std::string line;
    REQUIRE(std::getline(out, line));
    const size_t bar = line.find(" ||| ");
    REQUIRE(bar != std::string::npos);
    std::istringstream written(line.substr(0, bar)), links(line.substr(bar + 5));
    const auto words = std::distance(std::istream_iterator<std::string>(written), {});
    int from = 0, to = 0, before = -1;
    char dash = 0;
    std::set<int> linked;
    while (links >> from >> dash >> to) {
      CHECK(dash == '-');
      CHECK((from >= before && from < words_read));
      before = from;
      linked.insert(to);
    }
    CHECK(std::ssize(linked) == words);
    CHECK((linked.empty() || (*linked.begin() == 0 && *linked.rbegin() == words - 1)));
  }
}

TEST_CASE("translate samples the same translations with the same seed") {
  const std::string hot = "--sampling temperature=1.5,top-p=0.9,seed=";
  const CommandResult first = translate("a b c\\nd e\\n", hot + "3");
  CHECK(first.status == 0);
  CHECK(first.out == translate("a b c\\nd e\\n", hot + "3 --buffer 1").out);
  CHECK(first.out != translate("a b c\\nd e\\n", hot + "4").out);
}

TEST_CASE("--sampling accepts every option of sampling") {
  const CommandResult best = translate("a b c\\nd e\\n", "--beam 1");
  for (const char* narrow : {"top-k=1", "temperature=0", "min-p=1", "top-p=0"}) {
    CAPTURE(narrow);
    CHECK(translate("a b c\\nd e\\n", std::string("--sampling ") + narrow).out == best.out);
  }
  CHECK(translate("a b c\\n", "--sampling repetition-penalty=1.5,seed=2").status == 0);
}

TEST_CASE("translate begins each translation with its line of --prefix, in every way to decode") {
  const std::string prefixes = trained().file("prefixes");
  const std::string with = "printf 'x y\\n\\nz\\n' > " + prefixes +
                           "; printf 'a b\\nc d\\ne\\n' | " + "calque translate " + trained().run +
                           " --prefix " + prefixes;
  for (const std::string way : {"--beam 1", "--beam 3", "--sampling seed=2", "--buffer 1"}) {
    CAPTURE(way);
    const CommandResult ran = run(fmt::format("{} {}", with, way));
    CHECK(ran.status == 0);
    CHECK(count_lines(ran.out) == 3);
    CHECK(ran.out.starts_with("x y"));
    CHECK(ran.out.substr(ran.out.rfind('\n', ran.out.size() - 2) + 1).starts_with("z"));
  }
}

TEST_CASE("translate writes the prefix for an empty line, and samples do not depend on --buffer") {
  const std::string prefixes = trained().file("prefixes");
  const std::string with = "printf 'x\\ny\\n\\n' > " + prefixes +
                           "; printf 'a b\\n\\ne f g\\n' | calque translate " + trained().run +
                           " --sampling seed=5 --prefix " + prefixes;
  const CommandResult ran = run(with);
  CHECK(ran.out.find("\ny\n") != std::string::npos);
  CHECK(run(with + " --buffer 1").out == ran.out);
}

TEST_CASE("the run's decoding settings are checked after the command line has overridden them") {
  const std::string wide = "--set decoding.n_best=4 ";
  CHECK(count_lines(translate("a\\n", wide + "--beam 4").out) == 4);
  const CommandResult narrow = translate("a\\n", wide + "--beam 2");
  CHECK(narrow.status == 1);
  CHECK(narrow.err.find("4 is more than beam 2; widen the beam or lower this") !=
        std::string::npos);
  CHECK(translate("a\\n", wide + "--beam 2 --n-best 1").out == translate("a\\n", "--beam 2").out);
  CHECK(count_lines(translate("a\\n", "--beam 1 --n-best 3").out) == 3);
}

TEST_CASE("translate refuses invalid prefixes and another number of prefixes than lines") {
  const std::string prefixes = trained().file("prefixes");
  const auto with = [&](const std::string& text) {
    return run("printf '" + text + "' > " + prefixes + "; printf 'a\\nb\\n' | calque translate " +
               trained().run + " --prefix " + prefixes);
  };
  const CommandResult fewer = with("x\\n");
  CHECK(fewer.status == 1);
  CHECK(count_lines(fewer.out) == 1);
  CHECK(fewer.err.find("has fewer lines than standard input: ") != std::string::npos);
  CHECK(fewer.err.find("prefixes ends after line 1; ") != std::string::npos);
  CHECK(with("x\\ny\\nz\\n")
            .err.find("has more lines than standard input: standard input ends after line 2; ") !=
        std::string::npos);
  const CommandResult unknown = with("x\\nx strange\\n");
  CHECK(unknown.status == 1);
  CHECK(unknown.err.find("prefixes:2: contains text that is not in the vocabulary") !=
        std::string::npos);
  CHECK(with("x\\n\\377\\n").err.find("prefixes:2: not valid UTF-8") != std::string::npos);
}

TEST_CASE("translate obeys the settings for lengths and n-grams") {
  const auto words = [](const std::string& line) {
    return 1 + std::count(line.begin(), line.end(), ' ');
  };
  CHECK(words(translate("a b c d\\n", "--set decoding.max_length=2 --set decoding.min_length=2")
                  .out) == 2);
  CHECK(words(translate("a b c d\\n",
                        "--set decoding.max_length_ratio=2 --set "
                        "decoding.max_length_extra=0 --set decoding.min_length_ratio=2")
                  .out) == 8);
  const auto different = [](const std::string& line) {
    std::istringstream each(line);
    return std::ssize(std::set<std::string>(std::istream_iterator<std::string>(each), {}));
  };
  const std::string at_least_8 = "--set decoding.min_length=8";
  const std::string free = translate("a b c\\n", at_least_8).out;
  const std::string varied =
      translate("a b c\\n", at_least_8 + " --set decoding.no_repeat_ngram=1").out;
  CHECK(words(free) >= 8);
  CHECK(different(free) < words(free));
  CHECK(words(varied) >= 8);
  CHECK(different(varied) == words(varied));
  // With length_penalty_kind: none, the run's own length penalty is ignored, but one that the
  // command line sets is refused.
  CHECK(translate("a\\n", "--set decoding.length_penalty_kind=none").status == 0);
  for (const char* penalty : {"--length-penalty 1", "--set decoding.length_penalty=1"}) {
    const CommandResult ran =
        translate("a\\n", std::string("--set decoding.length_penalty_kind=none ") + penalty);
    CHECK(ran.status == 1);
    CHECK(ran.err.find("length_penalty_kind") != std::string::npos);
  }
  CHECK(translate("a\\n", "--set training.seed=3").err.find("only decoding.*") !=
        std::string::npos);
  CHECK(translate("a\\n", "--set decoding.max_lenght=3").err.find("max_length") !=
        std::string::npos);
}

TEST_CASE("after calibrate, --confidence adds that of a translation and of its words") {
  const std::string run_of_its_own = trained().file("calibrated");
  REQUIRE(run("cp -r " + trained().run + " " + run_of_its_own).status == 0);
  const std::string translating = "printf 'a b c\\n\\n' | calque translate " + run_of_its_own;
  check_refused(run(translating + " --confidence"), 1, "has no confidence for the weights of step");
  const CommandResult ran = run("calque calibrate " + run_of_its_own);
  REQUIRE_MESSAGE(ran.status == 0, ran.err);
  CHECK(ran.out.find("of them right; expected calibration error: words 0.") != std::string::npos);
  std::istringstream out(run(translating + " --confidence").out);
  std::string line;
  std::getline(out, line);
  const size_t bar = line.find(" ||| ");
  REQUIRE(bar != std::string::npos);
  std::istringstream written(line.substr(0, bar)), judged(line.substr(bar + 5));
  const auto count = std::distance(std::istream_iterator<std::string>(written), {});
  double each = 0;
  int64_t numbers = 0;
  for (; judged >> each; ++numbers) CHECK((each >= 0 && each <= 1));
  CHECK(numbers == count + 1);
  std::getline(out, line);
  CHECK(line == " ||| ");
  CHECK(run("calque evaluate " + run_of_its_own + " --split validation")
            .out.find("\n  confidence: ") != std::string::npos);
  check_refused(run("calque calibrate " + run_of_its_own + " --split nothing"), 1,
                "--split nothing");
  check_refused(run("calque calibrate " + trained_language_model().run), 1, "calque calibrate");
}

TEST_CASE("shortlist reports what it has, and translate and evaluate search in it") {
  const std::string own = trained().file("shortlisted");
  REQUIRE(run("cp -r " + trained().run + " " + own).status == 0);
  const CommandResult ran = run("calque shortlist " + own + "");
  REQUIRE_MESSAGE(ran.status == 0, ran.err);
  CHECK(ran.out.starts_with("validation: 100.00% of "));
  CHECK(ran.out.ends_with("/shortlist.txt\n"));
  const std::string all = run("calque evaluate " + trained().run + " --split validation").out;
  const std::string listed = run("calque evaluate " + own + " --split validation").out;
  CHECK(all.substr(all.find("exact matches")) == listed.substr(listed.find("exact matches")));
  CHECK(run("calque shortlist " + own + " --per-token 1 --frequent 0").status == 0);
  const auto translate_a = [&](const std::string& more) {
    return run("printf 'a\\n' | calque translate " + own + more);
  };
  CHECK(translate_a("").out.find_first_not_of("a \n") == std::string::npos);
  CHECK(translate_a("").out != translate_a(" --set decoding.shortlist=false").out);
  REQUIRE(run("printf damaged > " + own + "/shortlist.txt").status == 0);
  check_refused(translate_a(""), 1, "shortlist.txt: is damaged");
  check_refused(run("calque shortlist " + trained_language_model().run), 1, "calque shortlist");
  check_refused(run("calque shortlist " + trained().run + " --split nothing"), 1,
                "--split nothing");
}

TEST_CASE("the help of translate lists the decoding options") {
  const std::string help = run("calque translate --help").out;
  for (const char* option :
       {"--beam", "--n-best", "--sampling", "--prefix", "--alignment", "--confidence", "--scores",
        "--set", "--length-penalty", "--invalid-utf8", "gzip"}) {
    CAPTURE(option);
    CHECK(help.find(option) != std::string::npos);
  }
}

}  // namespace
}  // namespace calque
