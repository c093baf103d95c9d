// BPE-dropout: which subwords occur, how often, and which symbols are never split.

#include "data/tokenizers/bpe_dropout.h"

#include <doctest/doctest.h>

#include <map>
#include <string>

#include "core/error.h"
#include "data/corpora/small_corpus.h"
#include "data/tokenizers/piece_model_bytes.h"
#include "data/tokenizers/vocabulary.h"

using namespace calque;

namespace {

const SentencePieceModel& trained() {
  static const SentencePieceModel model(
      train_sentence_piece(small_texts(), {.vocabulary_size = 120}), "trained");
  return model;
}

std::vector<int32_t> encoded(const SentencePieceModel& model, const std::string& text) {
  std::vector<int32_t> ids;
  model.encode(text, ids);
  return ids;
}

std::string pieces(const SentencePieceModel& model, const std::vector<int32_t>& ids) {
  std::string text;
  for (const int32_t id : ids) text += (text.empty() ? "" : " ") + model.piece(id);
  return text;
}

}  // namespace

TEST_CASE(
    "with probability 0 the subwords are SentencePiece's, whatever the input's subwords are") {
  const BpeDropout none(trained(), 0), half(trained(), 0.5);
  Random random({.seed = 1});
  for (const std::string& text : small_texts()) {
    const std::vector<int32_t> expected = encoded(trained(), text);
    std::vector<int32_t> ids = expected;
    none.resegment(ids, random);
    REQUIRE(pieces(trained(), ids) == pieces(trained(), expected));
    half.resegment(ids, random);
    none.resegment(ids, random);
    REQUIRE(pieces(trained(), ids) == pieces(trained(), expected));
  }
}

TEST_CASE("the text stays the same, and skipping more merges gives more subwords") {
  std::vector<size_t> counts;
  for (const double probability : {0.0, 0.1, 0.5, 0.95}) {
    const BpeDropout dropout(trained(), probability);
    Random random({.seed = 2});
    size_t count = 0;
    for (const std::string& text : small_texts()) {
      std::vector<int32_t> ids = encoded(trained(), text);
      dropout.resegment(ids, random);
      REQUIRE(trained().decode(ids) == trained().normalize(text));
      count += ids.size();
    }
    counts.push_back(count);
  }
  for (size_t i = 1; i < counts.size(); ++i) CHECK(counts[i] > counts[i - 1] * 21 / 20);
}

TEST_CASE("the same random stream gives the same subwords") {
  const BpeDropout dropout(trained(), 0.3);
  std::vector<int32_t> once, twice, other;
  for (const std::string& text : small_texts()) {
    for (auto& [ids, seed] : {std::pair{&once, 1}, std::pair{&twice, 1}, std::pair{&other, 2}}) {
      Random random({.seed = static_cast<uint64_t>(seed)});
      std::vector<int32_t> own = encoded(trained(), text);
      dropout.resegment(own, random);
      ids->insert(ids->end(), own.begin(), own.end());
    }
  }
  CHECK(once == twice);
  CHECK(once != other);
}

// "abc" is made by two merges: a b -> ab, then ab c -> abc; b c is no merge. Each merge is skipped
// with probability p, and without the first there is no second.
TEST_CASE("each merge is skipped with the given probability") {
  const SentencePieceModel model(
      model_of(piece("ab", 1, 0) + piece("abc", 1, -1) + piece("\u2581", 1, -2) +
                   piece("a", 1, -3) + piece("b", 1, -4) + piece("c", 1, -5),
               bpe()),
      "by hand");
  const BpeDropout dropout(model, 0.25);
  Random random({.seed = 3});
  std::map<std::string, int> seen;
  constexpr int draws = 20000;
  for (int i = 0; i < draws; ++i) {
    std::vector<int32_t> ids = encoded(model, "abc");
    dropout.resegment(ids, random);
    ++seen[pieces(model, ids)];
  }
  CHECK(seen.size() == 3);
  CHECK(seen["\u2581 abc"] == doctest::Approx(draws * 0.75 * 0.75).epsilon(0.03));
  CHECK(seen["\u2581 ab c"] == doctest::Approx(draws * 0.75 * 0.25).epsilon(0.05));
  CHECK(seen["\u2581 a b c"] == doctest::Approx(draws * 0.25).epsilon(0.05));
}

TEST_CASE("unknown characters, bytes and user-defined symbols stay whole") {
  const SentencePieceModel model(
      model_of(piece("<to>", user_defined, 0) + piece("ab", 1, 0) + piece("\u2581", 1, -1) +
                   piece("<", 1, -2) + piece("t", 1, -3) + piece("o", 1, -4) + piece(">", 1, -5) +
                   piece("a", 1, -6) + piece("b", 1, -7) + piece("ba", user_defined, 0),
               bpe()),
      "by hand");
  const BpeDropout dropout(model, 0.9);
  Random random({.seed = 4});
  for (int i = 0; i < 100; ++i) {
    std::vector<int32_t> ids = encoded(model, "<to>abba\u00e9");
    dropout.resegment(ids, random);
    const std::string text = pieces(model, ids);
    CHECK((text == "\u2581 <to> ab ba <unk>" || text == "\u2581 <to> a b ba <unk>"));
  }
  const SentencePieceModel bytes(
      train_sentence_piece(small_texts(), {.vocabulary_size = 320, .byte_fallback = true}),
      "bytes");
  const BpeDropout byte_dropout(bytes, 0.9);
  for (int i = 0; i < 20; ++i) {
    std::vector<int32_t> ids = encoded(bytes, "house \u4e2d dog");
    byte_dropout.resegment(ids, random);
    CHECK(bytes.decode(ids) == "house \u4e2d dog");
  }
}

TEST_CASE("unigram models and probabilities below 0 or from 1 on are refused") {
  const SentencePieceModel unigram(
      train_sentence_piece(small_texts(), {.unigram = true, .vocabulary_size = 60}), "unigram");
  CHECK_THROWS_AS(BpeDropout(unigram, 0.1), Misuse);
  CHECK_THROWS_AS(BpeDropout(trained(), 1), Misuse);
  CHECK_THROWS_AS(BpeDropout(trained(), -0.1), Misuse);
}
