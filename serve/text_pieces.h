#pragma once
// Splits a text into sentences to translate and the unchanged pieces between them: line ends in
// plain text; tags, comments, scripts and white space in HTML.

#include <string>
#include <string_view>
#include <vector>

#include "data/sentences/splitter.h"

namespace calque {

enum class TextFormat { text, html };

struct TextPiece {
  std::string text;  // in a sentence of HTML, numeric and common named references are decoded
  bool sentence = false;
};

// In plain text each line is a sentence. In HTML the text between two tags is a sentence, with each
// run of white space as one space.
std::vector<TextPiece> pieces_of(std::string_view text, TextFormat format);

// Divides the sentences further, and the white space around them becomes unchanged pieces.
std::vector<TextPiece> divided(std::vector<TextPiece> pieces, const SentenceSplitter& splitter);

// Returns a translated sentence in the format of the text: in HTML, &, < and > are escaped.
std::string written(const std::string& sentence, TextFormat format);

}  // namespace calque
