#pragma once
// The keys and values of the tokens that a language model has read of a text (the KV cache), in
// blocks of a fixed number of tokens. Texts with the same beginning share its blocks: continuing a
// text never changes a block that another text has.

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/sparsity.h"
#include "nn/models/language_model.h"

namespace calque {

// Keys and values of consecutive tokens, in every layer.
class KeyBlock {
 public:
  static constexpr int64_t capacity = 64;  // tokens

  explicit KeyBlock(const LanguageModel& model);

  // Keys, then values of a token: 2 kd numbers (nn/layers/attention.h).
  real* row(size_t layer, int64_t token) const {
    return rows_.data() + (static_cast<int64_t>(layer) * capacity + token) * rows_.cols();
  }
  int64_t bytes() const { return rows_.size() * static_cast<int64_t>(sizeof(real)); }

 private:
  Tensor rows_;  // [layers capacity, 2 kd]
};

class TextKeys {
 public:
  TextKeys() = default;
  // A text that begins with whole blocks of others.
  explicit TextKeys(std::vector<std::shared_ptr<const KeyBlock>> blocks);

  int64_t size() const { return parts_.empty() ? 0 : parts_.back().end; }  // tokens

  // Another text that has the same tokens so far. Both can be continued.
  TextKeys fork();

  // Adds tokens, whose keys and values are to be written.
  void extend(const LanguageModel& model, int64_t tokens);
  // The row of a token of this text, to be written.
  real* row(size_t layer, int64_t token) const;
  // The rows of all tokens of a layer.
  void append_rows(size_t layer, std::vector<const real*>& to) const;

  // The block that begins with this token. Requires one that is full.
  std::shared_ptr<const KeyBlock> full_block(int64_t token) const;

 private:
  struct Part {  // the first tokens of a block
    std::shared_ptr<const KeyBlock> block;
    int64_t begin = 0, end = 0;  // in the text
  };
  const Part& part_of(int64_t token) const;

  std::vector<Part> parts_;
  bool open_ = false;  // whether the last block is of this text alone
};

// Tokens that follow those of a text.
struct TokensToRead {
  TextKeys* text;
  std::span<const int32_t> ids;
};

// Runs the layers over the tokens of several texts, and keeps their keys and values. Returns the
// hidden states after the last norm, those of the first text first: [tokens, d_model].
//
// The results of a token depend on the tokens before it, not on other texts. Its last bits depend
// on the number of tokens of the pass, unless these are at most most_few_rows()
// (core/products/few_rows.h).
Tensor read_tokens(const LanguageModel& model, std::span<const TokensToRead> texts);

}  // namespace calque
