#pragma once
// The tokens that a masked language model predicts for [MASK].

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/documents/masking.h"
#include "nn/models/encoder.h"
#include "train/tasks/masked_lm/run.h"

namespace calque {

struct Filling {
  int32_t id = 0;
  double probability = 0;  // among the tokens of the vocabulary without special symbols
};

// The `count` most probable tokens at each of the positions `rows` in `ids`. The positions are
// predicted independently.
std::vector<std::vector<Filling>> fill_rows(const MaskedLm& model, const Tokenizer& tokenizer,
                                            std::span<const int32_t> ids,
                                            std::span<const int32_t> rows, int64_t count);

// <s>, the text with an id for each [MASK], </s>. With SentencePiece, text directly after [MASK]
// continues its word, if the vocabulary has a token for it.
std::vector<int32_t> encode_masked_text(const Tokenizer& tokenizer, std::string_view text);

// Decodes ids and writes [MASK] for each masked token, which may begin or continue a word. For
// words, WordPiece and SentencePiece, a [MASK] that does not begin a line follows a space.
std::string masked_text(const Tokenizer& tokenizer, std::span<const int32_t> ids);

// A text with the most probable token at each [MASK].
struct FilledText {
  std::string text;
  std::vector<std::vector<Filling>> fillings;  // of each [MASK], most probable first
};

// Throws an Error for a text without [MASK], longer than the model's context, or not UTF-8.
FilledText fill_text(const MaskedLmRun& run, const std::string& text, int64_t alternatives);

}  // namespace calque
