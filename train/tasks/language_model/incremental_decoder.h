#pragma once
// The text of a growing sequence of ids. Appending ids decodes only a short tail again. A tail that
// grows long is cut to an anchor: its last ids, at most four, whose own text is not empty and has
// no U+FFFD. For every tokenizer, the text after an anchor does not depend on the ids before it:
// the anchor ends in a whole character, and it is not the leading space that SentencePiece drops.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/tokenizers/tokenizer.h"

namespace calque {

// Decoding writes this character for bytes that are not, or not yet, a whole character.
inline constexpr std::string_view replacement_character = "\uFFFD";

class IncrementalDecoder {
 public:
  explicit IncrementalDecoder(Tokenizer tokenizer) : tokenizer_(std::move(tokenizer)) {}

  void append(std::span<const int32_t> ids);

  // Tokenizer::decode_document() of all ids.
  const std::string& text() const { return text_; }
  // The number of bytes at the beginning of the text that cannot change any more.
  size_t settled() const { return settled_; }

 private:
  void choose_anchor();

  Tokenizer tokenizer_;
  std::vector<int32_t> tail_;  // from the anchor on
  size_t anchor_size_ = 0;     // bytes of the anchor's own text
  std::string text_;
  size_t settled_ = 0;  // up to the end of the anchor
};

}  // namespace calque
