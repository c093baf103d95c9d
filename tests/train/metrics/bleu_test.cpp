// BLEU against values computed by hand and published ones, and some of its properties.
#include "train/metrics/translation/bleu.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/error.h"
#include "support/threads.h"
#include "train/metrics/sentence_scores.h"

using namespace calque;
using doctest::Approx;

namespace {

using Lines = std::vector<std::string>;
using Streams = std::vector<Lines>;

const Lines dog_translations = {"The dog bit the man.", "It wasn't surprising.",
                                "The man had just bitten him."};
const Streams dog_references = {
    {"The dog bit the man.", "It was not unexpected.", "The man bit him first."},
    {"The dog had bit the man.", "No one was surprised.", "The man had bitten the dog."}};

}  // namespace

TEST_CASE("BLEU of a sentence is the geometric mean of its four precisions") {
  // "the cat sat on the mat" against "the cat sat on a mat": 5/6, 3/5, 2/4 and 1/3 of the n-grams.
  const BleuScore score = bleu(Lines{"the cat sat on the mat"}, Streams{{"the cat sat on a mat"}});
  CHECK(score.precisions[0] == Approx(100.0 * 5 / 6));
  CHECK(score.precisions[1] == Approx(100.0 * 3 / 5));
  CHECK(score.precisions[2] == Approx(100.0 * 2 / 4));
  CHECK(score.precisions[3] == Approx(100.0 * 1 / 3));
  CHECK(score.brevity_penalty == 1);
  CHECK(score.score == Approx(100 * std::pow(5.0 / 6 * 3 / 5 * 2 / 4 * 1 / 3, 0.25)));
}

TEST_CASE("a word counts at most as often as in the reference where it is most frequent") {
  // Papineni's example: the reference with two "the" allows two of seven.
  const Streams references = {{"The cat is on the mat"}, {"There is a cat on the mat"}};
  BleuOptions options{.lowercase = true};
  const BleuScore score = bleu(Lines{"the the the the the the the"}, references, options);
  CHECK(score.precisions[0] == Approx(100.0 * 2 / 7));
}

TEST_CASE(
    "the brevity penalty takes the reference closest in length, of two equally close ones the "
    "shorter") {
  const Streams references = {{"a b c d e f g h"}, {"a b c d"}, {"a b"}};
  const BleuScore between = bleu(Lines{"a b c d e f"}, references);
  CHECK(between.reference_length == 4);
  CHECK(between.brevity_penalty == 1);
  const BleuScore shorter = bleu(Lines{"a b c d e f"}, Streams{{"a b c d e f g h"}});
  CHECK(shorter.brevity_penalty == Approx(std::exp(1 - 8.0 / 6)));
}

TEST_CASE("the score of two references is printed as in sacreBLEU's documentation") {
  const BleuScore score = bleu(dog_translations, dog_references);
  CHECK(score.text(2) ==
        "BLEU|nrefs:2|case:mixed|eff:no|tok:13a|smooth:exp|version:2.x/calque-0.1.0 = 48.53 "
        "82.4/50.0/45.5/37.5 (BP = 0.943 ratio = 0.944 hyp_len = 17 ref_len = 18)");
  BleuOptions options;
  options.tokenization = Tokenization::none;
  CHECK(bleu(dog_translations, dog_references, options).score == Approx(49.1919566));
  options.tokenization = Tokenization::intl;
  CHECK(bleu(dog_translations, dog_references, options).score == Approx(43.91623493));
}

TEST_CASE("smoothing of single sentences gives the values published in sacreBLEU's own tests") {
  const std::string system =
      "Producția de zahăr primă va fi exprimată în ceea ce privește zahărul alb;";
  const Lines reference = {"producţia de zahăr brut se exprimă în zahăr alb;"};
  const auto score = [&](Smoothing smoothing, std::optional<double> value = std::nullopt,
                         Tokenization tokenization = Tokenization::v13a, bool lowercase = false) {
    const BleuOptions options{tokenization, lowercase, smoothing, value};
    return sentence_bleu(system, reference, options).score;
  };
  const auto near = [](double value) { return Approx(value).epsilon(1e-4); };
  CHECK(score(Smoothing::exponential) == near(8.493));
  CHECK(score(Smoothing::none) == 0);
  CHECK(score(Smoothing::floor) == near(4.51688));
  CHECK(score(Smoothing::floor, 0.5) == near(10.10));
  CHECK(score(Smoothing::add_k) == near(14.882));
  CHECK(score(Smoothing::add_k, 2) == near(21.389));
  CHECK(score(Smoothing::exponential, {}, Tokenization::none) == near(7.347));
  CHECK(score(Smoothing::exponential, {}, Tokenization::intl) == near(8.493));
  CHECK(score(Smoothing::exponential, {}, Tokenization::character) == near(40.8759));
  CHECK(score(Smoothing::exponential, {}, Tokenization::character, true) == near(42.0267));
}

TEST_CASE("without a single match BLEU is zero, however it is smoothed") {
  for (const char* name : {"exp", "floor", "add-k", "none"}) {
    const BleuOptions options{.smoothing = parse_smoothing(name)};
    CHECK(sentence_bleu("this is a cat", Lines{"okay thanks"}, options).score == 0);
  }
}

TEST_CASE("a translation equal to a reference scores 100, and less with another word") {
  CHECK(bleu(dog_references[1], dog_references).score == Approx(100));
  Lines changed = dog_references[1];
  changed[2] += " Really";
  CHECK(bleu(changed, dog_references).score < 100);
}

TEST_CASE("the order of the segments does not matter, nor the number of threads") {
  const BleuScore before = bleu(dog_translations, dog_references);
  Lines translations = dog_translations;
  Streams references = dog_references;
  std::ranges::reverse(translations);
  for (Lines& stream : references) std::ranges::reverse(stream);
  CHECK(bleu(translations, references).text(9) == before.text(9));

  Lines many;
  Streams many_references(2);
  for (int i = 0; i < 300; ++i) {
    many.push_back(dog_translations[i % 3] + std::to_string(i % 7));
    for (size_t r = 0; r < 2; ++r) many_references[r].push_back(dog_references[r][(i + 1) % 3]);
  }
  const Threads as_before;
  set_threads(1);
  const std::string one = bleu(many, many_references).text(15);
  set_threads(3);
  CHECK(bleu(many, many_references).text(15) == one);
}

TEST_CASE("an empty translation and an empty reference count as having no words") {
  const BleuScore nothing = bleu(Lines{"", ""}, Streams{{"", "a"}});
  CHECK(nothing.score == 0);
  CHECK(nothing.hypothesis_length == 0);
  CHECK(nothing.brevity_penalty == 0);
  CHECK(bleu(Lines{""}, Streams{{""}}).ratio() == 0);
}

TEST_CASE("files of different lengths are refused with both counts") {
  const Streams references = {{"a", "b"}, {"a"}};
  CHECK_THROWS_WITH_AS(
      bleu(Lines{"a", "b"}, references),
      "2 hypotheses, but reference 2 has 1 lines: they must correspond line by line", Error);
  CHECK_THROWS_WITH_AS(bleu(Lines{"a"}, Streams{}), "there is no reference to compare with", Error);
  CHECK_THROWS_AS(bleu(Lines{}, Streams{{}}), Error);
}

TEST_CASE("broken UTF-8 is scored as replacement characters") {
  const Lines broken = {"a \xFF\xC3 b", "\xE2\x82"};
  CHECK(bleu(broken, Streams{broken}).hypothesis_length == 4);
  CHECK(bleu(Lines{"a \xFF b c d"}, Streams{{"a \uFFFD b c d"}}).score == Approx(100));
}

TEST_CASE("unknown smoothings and tokenizations are errors that name the known ones") {
  CHECK_THROWS_WITH_AS(parse_smoothing("epx"),
                       "unknown smoothing 'epx': there are exp, floor, add-k and none", Error);
  CHECK_THROWS_WITH_AS(parse_tokenization("zh"),
                       "unknown tokenization 'zh'; choose none, 13a, intl or char", Error);
}

TEST_CASE("text with a hundred lines that end in a separate full stop looks tokenized") {
  Lines lines(150, "so it ends .");
  CHECK(looks_tokenized(lines));
  std::fill(lines.begin(), lines.begin() + 50, "so it ends.");
  CHECK(looks_tokenized(lines));
  lines[50] = "so it ends.";
  CHECK_FALSE(looks_tokenized(lines));
}
