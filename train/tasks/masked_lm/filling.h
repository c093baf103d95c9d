#pragma once
// What a masked language model puts in the place of [MASK].

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/masking.h"
#include "nn/encoder.h"

namespace calque {

struct Filling {
  int32_t id = 0;
  double probability = 0;  // among the tokens of the vocabulary without special symbols
};

// For each row the `count` most probable tokens, each row for itself.
std::vector<std::vector<Filling>> fill_rows(const MaskedLm& model, const Tokenizer& tokenizer,
                                            std::span<const int32_t> ids,
                                            std::span<const int32_t> rows, int64_t count);

// <s>, the text with an id for each [MASK], </s>. Text right behind [MASK] continues its word.
std::vector<int32_t> encode_masked_text(const Tokenizer& tokenizer, std::string_view text);

// The text of ids, with [MASK] where it is. A token that [MASK] hides may begin a word or continue
// one: for words and SentencePiece, a space is before each [MASK].
std::string masked_text(const Tokenizer& tokenizer, std::span<const int32_t> ids);

}  // namespace calque
