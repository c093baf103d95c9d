#pragma once
// Writes SentencePiece models from lists of pieces. The SentencePiece library itself can only train
// models.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "interop/tokenizers/normalization.h"

namespace calque {

// The values are those of the file format.
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
  bool unigram = false;  // false: BPE
  PieceNormalization normalization = {};
  std::vector<NewPiece> pieces = {};  // without the special symbols
};

// The bytes of the model, with the special symbols at 0, 1 and 2 before the pieces.
std::string piece_model_bytes(const NewPieceModel& model);

// The bytes of `model` with the special symbols at 0, 1 and 2, then `pieces`; for engines that have
// one vocabulary for two SentencePiece models. encode() never returns a piece that the model lacks,
// but decode() accepts it. Requires the bytes of a model that has been loaded; `pieces` must
// include all of the model's pieces, and no special symbol.
std::string with_pieces(std::string_view model, const std::vector<std::string>& pieces);

}  // namespace calque
