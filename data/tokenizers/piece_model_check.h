#pragma once
// Checks a SentencePiece model before the library loads it. The library does not validate: with a
// hostile or damaged file it reads outside its tables (the double array of the normalization rules,
// the fixed buffers of its prefix searches). A model that passes this check is safe.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace calque {

// The result of the check, and properties of the model and its pieces that the library does not
// report.
struct PieceModelReport {
  std::optional<std::string> fault = {};
  bool bpe = false;
  // For each piece, whether training found it: it is not special, byte, user-defined or unused.
  std::vector<bool> found = {};
};

PieceModelReport check_piece_model(std::string_view bytes);

}  // namespace calque
