#pragma once
// Writes SentencePiece models, serialized protocol buffers, from lists of pieces. The SentencePiece
// library itself can only train models.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "data/tokenizers/vocabulary.h"

namespace calque {

struct PieceNormalization {
  std::string charsmap = {};   // compiled rules, such as NFKC; empty: none
  bool dummy_prefix = true;    // a space before the text
  bool removes_spaces = true;  // at both ends, and all but one of a run
};

// The normalization of a model, from the bytes of its .model file. The SentencePiece library
// applies the rules but does not expose them. Requires the bytes of a model that has been loaded.
PieceNormalization piece_normalization(std::string_view model);

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
  // The texts of <unk>, <s> and </s>, where pieces have these texts; empty: these texts.
  std::array<std::string, special_ids> symbols = {};
};

// The bytes of the model, with the special symbols at 0, 1 and 2 before the pieces.
std::string piece_model_bytes(const NewPieceModel& model);

// The bytes of `model` with the special symbols at 0, 1 and 2, then `pieces`; for engines that have
// one vocabulary for two SentencePiece models. encode() never returns a piece that the model lacks,
// but decode() accepts it. Requires the bytes of a model that has been loaded; `pieces` must
// include all of the model's pieces, and no special symbol.
std::string with_pieces(std::string_view model, const std::vector<std::string>& pieces);

}  // namespace calque
