// Texts with [MASK], and the tokens that a masked language model predicts for it.
#include <doctest/doctest.h>

#include <algorithm>

#include "core/parameters.h"
#include "data/text/byte_glyphs.h"
#include "data/tokenizers/training.h"
#include "data/tokenizers/vocabulary.h"
#include "train/tasks/masked_lm/filling.h"

namespace calque {
namespace {

std::vector<std::string> sentences() {
  std::vector<std::string> texts;
  for (const char* animal : {"cat", "dog", "bird", "fish", "mouse"}) {
    for (const char* verb : {"sleeps", "walks", "walked", "sings", "jumps"}) {
      texts.push_back(std::string("The ") + animal + " " + verb + ". It is a " + animal + ".");
    }
  }
  return texts;
}

Tokenizer tokenizer_of(TokenizerKind kind) {
  return train_tokenizer(sentences(), {.kind = kind},
                         {.vocabulary_size = is_sentence_piece(kind) ? 60 : 0});
}

TEST_CASE("encoding and decoding preserve a text with [MASK]") {
  for (const auto& kind : tokenizer_kinds) {
    const bool trained =
        kind.choice != TokenizerKind::word_piece && kind.choice != TokenizerKind::byte_pairs;
    if (!trained) continue;
    CAPTURE(kind.name);
    const Tokenizer tokenizer = tokenizer_of(kind.choice);
    for (const std::string& text :
         std::vector<std::string>{"The [MASK] sleeps.", "[MASK] dog [MASK]", "It is a cat."}) {
      CAPTURE(text);
      const std::vector<int32_t> ids = encode_masked_text(tokenizer, text);
      CHECK(ids.front() == begin_id);
      CHECK(ids.back() == end_id);
      CHECK(masked_text(tokenizer, ids) == text);
    }
  }
}

TEST_CASE("encoding and decoding by byte-level BPE preserve a text with [MASK]") {
  Vocabulary vocabulary;
  for (const std::string& glyph : byte_glyphs()) vocabulary.add(glyph);
  const Tokenizer tokenizer(BytePairModel(std::move(vocabulary), {}, {}, "test"),
                            {.kind = TokenizerKind::byte_pairs, .nfkc = false});
  for (const std::string text : {"The [MASK] sleeps.", "The d[MASK]g", "[MASK][MASK] a"}) {
    CHECK(masked_text(tokenizer, encode_masked_text(tokenizer, text)) == text);
  }
  const std::vector<bool> begins = word_beginnings(tokenizer);
  CHECK(begins[static_cast<size_t>(tokenizer.encode(" ").front())]);
  CHECK_FALSE(begins[static_cast<size_t>(tokenizer.encode("a").front())]);
}

TEST_CASE("[MASK] may stand within a word of characters, bytes and subwords") {
  for (const TokenizerKind kind : {TokenizerKind::characters, TokenizerKind::bytes}) {
    const Tokenizer tokenizer = tokenizer_of(kind);
    const std::vector<int32_t> ids = encode_masked_text(tokenizer, "The d[MASK][MASK]s.");
    CHECK(std::ranges::count(ids, mask_id(tokenizer)) == 2);
    CHECK(masked_text(tokenizer, ids) == "The d[MASK][MASK]s.");
  }
  const Tokenizer subwords = tokenizer_of(TokenizerKind::bpe);
  const auto behind_mask = [&](const char* text) {
    const std::vector<int32_t> ids = encode_masked_text(subwords, text);
    return subwords.symbol(*(std::ranges::find(ids, mask_id(subwords)) + 1));
  };
  CHECK(behind_mask("It is a [MASK].") == ".");
  CHECK_FALSE(behind_mask("The dog [MASK]s.").starts_with(space_mark));
  CHECK(behind_mask("The [MASK] sleeps.").starts_with(space_mark));
  CHECK(masked_text(subwords, encode_masked_text(subwords, "It is a [MASK].")) ==
        "It is a [MASK].");
}

TEST_CASE("fillings are ordered by probability, are no special symbols, and sum to 1") {
  const Tokenizer tokenizer = tokenizer_of(TokenizerKind::words);
  MaskedLmOptions options;
  options.encoder.layer = {.d_model = 8, .d_ff = 16, .heads = 2, .dropout = 0};
  options.encoder.vocabulary = tokenizer.size() + 1;
  options.encoder.layers = 1;
  Parameters parameters;
  const MaskedLm model(Path(parameters), options);
  parameters.allocate();
  parameters.initialise(1);
  const std::vector<int32_t> ids = encode_masked_text(tokenizer, "The [MASK] [MASK]");
  const auto found = fill_rows(model, tokenizer, ids, std::vector<int32_t>{2, 3}, 1000);
  REQUIRE(found.size() == 2);
  for (const auto& fillings : found) {
    CHECK(std::ssize(fillings) == tokenizer.size() - special_ids);
    double sum = 0;
    for (size_t i = 0; i < fillings.size(); ++i) {
      CHECK(fillings[i].id >= special_ids);
      CHECK(fillings[i].id < tokenizer.size());
      if (i > 0) CHECK(fillings[i].probability <= fillings[i - 1].probability);
      sum += fillings[i].probability;
    }
    CHECK(sum == doctest::Approx(1));
  }
  CHECK(fill_rows(model, tokenizer, ids, std::vector<int32_t>{2}, 1).front().front().id ==
        found.front().front().id);
}

}  // namespace
}  // namespace calque
