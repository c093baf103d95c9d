#pragma once
// Checks a SentencePiece model before the library loads it. The library does not validate: with a
// hostile or damaged file it reads outside its tables (the double array of the normalization rules,
// the fixed buffers of its prefix searches). A model that passes this check is safe.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace calque {

// With what the library does not report: the kind of the model and of its pieces.
struct PieceModelReport {
  std::optional<std::string> fault = {};
  bool bpe = false;
  std::vector<bool> found =
      {};  // of each piece: it is neither special, nor a byte, nor user-defined
};

PieceModelReport check_piece_model(std::string_view bytes);

}  // namespace calque
