#pragma once
// SentencePiece models from lists of pieces, written without the library, which can only train
// them.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "interop/piece_normalization.h"

namespace calque {

// The numbers are the format's.
enum class PieceKind : uint64_t {
  normal = 1,
  unknown = 2,
  control = 3,
  user_defined = 4,
  unused = 5,
  byte = 6
};

struct NewPiece {
  std::string text;
  float score = 0;
  PieceKind kind = PieceKind::normal;
};

struct NewPieceModel {
  bool unigram = false;  // or BPE
  PieceNormalization normalization = {};
  std::vector<NewPiece> pieces = {};  // without the special symbols
};

// The bytes of the model, with the special symbols at 0, 1 and 2 before the pieces.
std::string piece_model_bytes(const NewPieceModel& model);

// Engines with one vocabulary for two SentencePiece models number the pieces of both. The bytes of
// the model with the special symbols at 0, 1 and 2, then these pieces. A piece that the
// model lacks is never encoded, but decoded. Requires the bytes of a model that has been loaded;
// the pieces must include all of its own, and no special symbol.
std::string with_pieces(std::string_view model, const std::vector<std::string>& pieces);

}  // namespace calque
