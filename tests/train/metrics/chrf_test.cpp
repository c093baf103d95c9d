// chrF against values by hand and published ones, and its properties for any text.
#include "train/metrics/translation/chrf.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "core/error.h"
#include "train/metrics/sentence_scores.h"

using namespace calque;

namespace {

using Lines = std::vector<std::string>;
using Streams = std::vector<Lines>;

doctest::Approx near(double value) { return doctest::Approx(value).epsilon(1e-6); }

}  // namespace

TEST_CASE("chrF of texts of two characters has the value computed by hand") {
  // "ab" and "ac": one of two characters, no pair; P = R = (1/2 + 0) / 2.
  const ChrfScore score = chrf(Lines{"ab"}, Streams{{"ac"}});
  CHECK(score.score == near(25));
  CHECK(score.text() ==
        "chrF2|nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|version:2.x/calque-0.1.0 = 25.0");
}

TEST_CASE("recall weighs beta times as much as precision") {
  // "abc" against "abcdef", order 1: P = 1, R = 1/2.
  ChrfOptions options{.character_order = 1, .beta = 1};
  CHECK(chrf(Lines{"abc"}, Streams{{"abcdef"}}, options).score == near(100 * 2 * 0.5 / 1.5));
  options.beta = 3;
  CHECK(chrf(Lines{"abc"}, Streams{{"abcdef"}}, options).score == near(100 * 10 * 0.5 / 9.5));
}

TEST_CASE("both ways of treating short text give the published values") {
  const auto score = [](const Lines& hypotheses, const Lines& reference, bool eps) {
    const ChrfOptions options{.beta = 3, .eps_smoothing = eps};
    return chrf(hypotheses, Streams{reference}, options).score;
  };
  CHECK(score({"aa"}, {"ab"}, true) == near(100.0 / 12));
  CHECK(score({"aa"}, {"ab"}, false) == near(25));
  CHECK(score({"a"}, {"a"}, true) == near(100.0 / 6));
  CHECK(score({"a"}, {"a"}, false) == near(100));
  CHECK(score({"a b c"}, {"abc"}, true) == near(50));
  CHECK(score({"a", "b"}, {"a", "c"}, false) == near(50));
  CHECK(score({""}, {"reference"}, true) == near(0));
}

TEST_CASE("Czech sentences have the values published in sacreBLEU's own tests") {
  const ChrfOptions options{.eps_smoothing = true};
  CHECK(
      sentence_chrf(
          "Co nás nejvíc trápí, protože lékaři si vybírají, kdo bude žít a kdo zemře.",
          Lines{
              "Nejvíce smutní jsme z toho, že musíme rozhodovat o tom, kdo bude žít a kdo zemře."},
          options)
          .score == near(39.14078509));
  CHECK(sentence_chrf(
            "Nebo prostě nemají vybavení, které by jim pomohlo, uvedli lékaři.",
            Lines{"A někdy nemáme ani potřebný materiál, abychom jim pomohli, popsali lékaři."},
            options)
            .score == near(31.22557079));
}

TEST_CASE("chrF++ separates one punctuation mark from a word") {
  // "(hi" and ")" against "(", "hi" and ")": only one mark is separated, the closing one first.
  const ChrfOptions options{.character_order = 0, .word_order = 1};
  CHECK(chrf(Lines{"(hi)"}, Streams{{"(hi )"}}, options).score ==
        near(100 * 5 * (1.0 / 2) * (1.0 / 3) / (4 * (1.0 / 2) + 1.0 / 3)));
  CHECK(chrf(Lines{"\"so"}, Streams{{"\" so"}}, options).score == near(100));
  CHECK(chrf(Lines{"."}, Streams{{"."}}, options).score == near(100));
  CHECK(chrf(Lines{"«so»"}, Streams{{"« so »"}}, options).score == 0);
  CHECK(chrf(Lines{"a b"}, Streams{{"a b"}}, {.word_order = 2}).name == "chrF2++");
}

TEST_CASE("white space is not counted unless requested") {
  CHECK(chrf(Lines{"a b\u00A0c\u3000d"}, Streams{{"abcd"}}).score == near(100));
  CHECK(chrf(Lines{"a bc d"}, Streams{{"abcd"}}, {.whitespace = true}).score < 100);
}

TEST_CASE("each segment uses the reference with the best score") {
  const Streams both = {{"ein Haus", "x"}, {"y", "ein Hund"}};
  CHECK(chrf(Lines{"ein Haus", "ein Hund"}, both).score == near(100));
}

TEST_CASE("more correct characters never lower chrF, and equal text has 100") {
  const Streams reference = {{"Donaudampfschifffahrt"}};
  double before = -1;
  for (size_t length = 0; length <= reference[0][0].size(); ++length) {
    const double now = chrf(Lines{reference[0][0].substr(0, length)}, reference).score;
    CHECK(now >= before);
    before = now;
  }
  CHECK(before == near(100));
}

TEST_CASE("invalid orders are refused") {
  CHECK_THROWS_AS(chrf(Lines{"a"}, Streams{{"a"}}, {.character_order = 0}), Error);
  CHECK_THROWS_AS(chrf(Lines{"a"}, Streams{{"a"}}, {.word_order = -1}), Error);
  CHECK_THROWS_AS(chrf(Lines{"a"}, Streams{{"a"}}, {.beta = 0}), Error);
  CHECK_THROWS_AS(chrf(Lines{"a", "b"}, Streams{{"a"}}), Error);
}
