#pragma once
// Splits a plain text into sentences to translate and the unchanged pieces between them: line ends
// and white space.

#include <string>
#include <string_view>
#include <vector>

#include "data/sentences/splitter.h"

namespace calque {

struct TextPiece {
  std::string text;
  bool sentence = false;
};

// Each line is a sentence.
std::vector<TextPiece> line_pieces(std::string_view text);

// Divides the sentences further, and the white space around them becomes unchanged pieces.
std::vector<TextPiece> divided(std::vector<TextPiece> pieces, const SentenceSplitter& splitter);

}  // namespace calque
