// Phrases that a translation must have: what of them a hypothesis has written, and the beam that
// writes them.
#include "decode/constraints/required_phrases.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>

#include "data/tokenizers/training.h"
#include "decode/markov_model.h"
#include "decode/search/search.h"

namespace calque {
namespace {

using Ids = std::vector<int32_t>;

constexpr int32_t a = 3, b = 4, c = 5, d = 6, inner = 7;  // `inner` continues a word
constexpr int64_t vocabulary = 8;

std::shared_ptr<const WordBorders> borders() {
  std::vector<bool> begins(vocabulary), ends(vocabulary, true);
  begins[inner] = true;
  return std::make_shared<const WordBorders>(begins, ends);
}

std::shared_ptr<const RequiredPhrases> phrases(std::vector<RequiredPhrase> all) {
  return std::make_shared<const RequiredPhrases>(std::move(all), borders());
}

std::vector<Hypothesis> found(const MarkovModel& model, const DecodingItem& item, int64_t beam,
                              int64_t n_best = 1) {
  SearchOptions options;
  options.beam = beam;
  options.n_best = n_best;
  const DecodingModel models[] = {model.decoding()};
  return search(models, std::span(&item, 1), options).front();
}

bool required_in(const Ids& ids, const Ids& phrase) {
  return !std::ranges::search(ids, phrase).empty();
}

TEST_CASE("progress counts the tokens of phrases, and names those that continue them") {
  const auto required = phrases({{{{a, b, c}}}, {{{d}, {b, b}}}});
  CHECK(required->tokens() == 5);
  const auto progress = [&](const Ids& written) { return required->progress(written); };
  CHECK(progress({}).tokens == 0);
  CHECK(progress({}).next == Ids{a, b, d});
  CHECK(progress({c, a}).tokens == 1);
  CHECK(progress({c, a, b}).tokens == 2);
  CHECK(progress({c, a, b}).next == Ids{a, b, c, d});  // b begins and continues b b
  CHECK(progress({a, b, c}).tokens == 3);
  CHECK(progress({a, b, c}).ends_phrase);
  CHECK_FALSE(progress({a, b, c, c}).ends_phrase);
  CHECK_FALSE(progress({a, b, c}).complete);
  CHECK(progress({d, a, b, c}).complete);
  CHECK(progress({b, b, a, b, c}).complete);
  CHECK(progress({b, b, a, b, c}).tokens == 5);
  CHECK(progress({a, b, d}).tokens == 2);
}

TEST_CASE("a phrase is written as whole words") {
  const auto required = phrases({{{{a, b}}}});
  CHECK(required->progress(Ids{a, b}).complete);
  CHECK_FALSE(required->progress(Ids{a, b, inner}).complete);
  CHECK(required->progress(Ids{a, b, inner, a, b, c}).complete);
  std::vector<real> scores(vocabulary, 0);
  const Ids written = {c, a, b};
  required->forbid_tokens(required->progress(written), written, scores);
  CHECK(scores[inner] == minus_infinity);
  CHECK(scores[end_id] == 0);
  scores.assign(vocabulary, 0);
  const Ids begun = {c, a};
  required->forbid_tokens(required->progress(begun), begun, scores);
  CHECK(scores[inner] == 0);
  CHECK(scores[end_id] == minus_infinity);
}

TEST_CASE("a search writes the required phrases, which it would not otherwise") {
  MarkovModel model(vocabulary);
  model.prefer(begin_id, c);
  model.prefer(c, d);
  model.prefer(d, end_id);
  model.prefer(b, d);
  DecodingItem item{.longest = 12};
  CHECK(found(model, item, 4).front().ids == Ids{c, d});
  item.required = phrases({{{{a, b}}}});
  for (const int64_t beam : {1, 4}) {
    const Hypothesis best = found(model, item, beam).front();
    CHECK(best.finished);
    CHECK(required_in(best.ids, {a, b}));
    CHECK(best.ids.back() == d);  // the model ends after d
  }
  item.required = phrases({{{{a, b}, {c, d}}}});  // another form of it is there already
  CHECK(found(model, item, 4).front().ids == Ids{c, d});
  item.required = phrases({{{{a}}}, {{{inner}}}, {{{b, b}}}});
  for (const Hypothesis& each : found(model, item, 3, 3)) {
    CHECK(each.finished);
    CHECK(item.required->progress(each.ids).complete);
  }
}

TEST_CASE("a translation that is too short for its phrases is cut off") {
  const MarkovModel model(vocabulary);
  DecodingItem item{.longest = 2, .required = phrases({{{{a, b, c}}}})};
  const Hypothesis best = found(model, item, 2).front();
  CHECK_FALSE(best.finished);
  CHECK(best.ids.size() <= 2);
}

TEST_CASE("the borders of words come from the tokenizer") {
  const std::vector<std::string> texts = {"die Kuh", "die Kühe", "ab abab (ab)"};
  for (const TokenizerKind kind : {TokenizerKind::bpe, TokenizerKind::unigram,
                                   TokenizerKind::characters, TokenizerKind::bytes}) {
    const Tokenizer tokenizer =
        train_tokenizer(texts, {.kind = kind}, {.vocabulary_size = 30, .character_coverage = 1});
    const WordBorders own(tokenizer);
    CAPTURE(static_cast<int>(kind));
    const Ids ids = tokenizer.encode("ab (ab)");
    for (size_t i = 1; i < ids.size(); ++i) {
      const std::string before = tokenizer.spelling(ids[i - 1]), next = tokenizer.spelling(ids[i]);
      CHECK(own.is_inside(ids[i - 1], ids[i]) ==
            (std::isalpha(before.back()) != 0 && std::isalpha(next.front()) != 0));
    }
  }
  const Tokenizer words = train_tokenizer(texts, {.kind = TokenizerKind::words}, {});
  const Ids two = words.encode("die Kuh");
  CHECK_FALSE(WordBorders(words).is_inside(two[0], two[1]));
}

}  // namespace
}  // namespace calque
