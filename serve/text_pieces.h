#pragma once
// A text as a list of sentences to translate and of what stands between them and stays as it is:
// line ends of plain text; tags, comments, scripts and white space of HTML.

#include <string>
#include <string_view>
#include <vector>

namespace calque {

enum class TextFormat { text, html };

struct TextPiece {
  std::string text;  // of a sentence in HTML: without character references
  bool sentence = false;
};

// The pieces of plain text are its lines. Those of HTML are what stands between two tags, with each
// run of white space as one space.
std::vector<TextPiece> pieces_of(std::string_view text, TextFormat format);

// A translated sentence as it stands in the text.
std::string written(const std::string& sentence, TextFormat format);

}  // namespace calque
