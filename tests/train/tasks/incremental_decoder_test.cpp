// Appending ids one by one gives the text of the whole sequence, at every length.
#include "train/tasks/language_model/incremental_decoder.h"

#include <doctest/doctest.h>

#include "core/random.h"
#include "data/tokenizers/training.h"
#include "data/tokenizers/vocabulary.h"

namespace calque {
namespace {

const std::vector<std::string> texts = {"the dog sees a house\nand a  girl", "a big dög runs",
                                        "the house, the girl and the dog\n\nécole 東京"};

std::vector<Tokenizer> tokenizers() {
  std::vector<Tokenizer> all = {train_tokenizer({}, {.kind = TokenizerKind::bytes}, {})};
  for (const TokenizerKind kind :
       {TokenizerKind::characters, TokenizerKind::words, TokenizerKind::bpe}) {
    all.push_back(train_tokenizer(texts, {.kind = kind}, {.vocabulary_size = 60, .newline = true}));
    all.push_back(train_tokenizer(texts, {.kind = kind}, {.vocabulary_size = 60}));
  }
  all.push_back(train_tokenizer(texts, {.kind = TokenizerKind::bpe},
                                {.vocabulary_size = 320, .byte_fallback = true, .newline = true}));
  return all;
}

void check_every_length(const Tokenizer& tokenizer, const std::vector<int32_t>& ids) {
  IncrementalDecoder decoder(tokenizer);
  for (size_t count = 1; count <= ids.size(); ++count) {
    decoder.append(std::span(ids).subspan(count - 1, 1));
    const std::string expected = tokenizer.decode_document(std::span(ids).first(count));
    REQUIRE(decoder.text() == expected);
    REQUIRE(decoder.settled() <= expected.size());
  }
}

TEST_CASE("appending one id at a time gives the text of all ids, for every tokenizer") {
  int number = 0;
  for (const Tokenizer& tokenizer : tokenizers()) {
    CAPTURE(number++);
    for (uint32_t seed = 0; seed < 20; ++seed) {
      Random random({.seed = seed});
      std::vector<int32_t> ids;
      for (int i = 0; i < 80; ++i) {
        const double last = random.uniform() < 0.5 ? 12 : tokenizer.size();  // often the same few
        ids.push_back(
            static_cast<int32_t>(random.uniform() * std::min<double>(last, tokenizer.size())));
      }
      check_every_length(tokenizer, ids);
    }
  }
}

TEST_CASE("characters of several bytes, spaces and empty lines are decoded incrementally, too") {
  for (const Tokenizer& tokenizer : tokenizers()) {
    std::vector<int32_t> ids = {begin_id};
    for (int i = 0; i < 4; ++i) {
      tokenizer.encode_document("東京の犬 ö\n\n   the  dog \xF0\x9F\x90\x95\n", ids);
    }
    check_every_length(tokenizer, ids);
  }
}

TEST_CASE("all but a short tail of the text is settled") {
  const Tokenizer tokenizer = tokenizers().front();  // bytes
  IncrementalDecoder decoder(tokenizer);
  std::string text;
  for (int i = 0; i < 100; ++i) text += i % 2 == 0 ? "東" : "ab";
  for (const int32_t id : tokenizer.encode_document(text)) decoder.append({&id, 1});
  CHECK(decoder.text() == text);
  CHECK(decoder.text().size() - decoder.settled() < 20);
}

}  // namespace
}  // namespace calque
