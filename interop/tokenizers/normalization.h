#pragma once
// The normalization of a SentencePiece model, from the bytes of its .model file, a serialized
// protocol buffer. The SentencePiece library applies the rules but does not expose them.

#include <string>
#include <string_view>

namespace calque {

struct PieceNormalization {
  std::string charsmap = {};   // compiled rules, such as NFKC; empty: none
  bool dummy_prefix = true;    // a space before the text
  bool removes_spaces = true;  // at both ends, and all but one of a run
};

// Requires the bytes of a model that has been loaded.
PieceNormalization piece_normalization(std::string_view model);

}  // namespace calque
