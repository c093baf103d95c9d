#pragma once
// The inline markup of a Markdown text as tokens from left to right, and the text that they make.

#include <string>
#include <vector>

#include "data/markup/text_builder.h"

namespace calque {

struct InlineToken {
  enum class Kind { text, line_end, kept, tag, opening, closing, delimiters, bracket } kind;
  TextRange range;
  std::string text = {};  // of a text; or the name of an opening or closing tag
  std::string instead = {};
  bool opens = false, closes = false;  // delimiters
};

// The name of the tags of a link whose text begins with a bracket at `at`.
std::string link_name(size_t at);

// Makes tags of the runs of *, _ and ~ that belong together.
void pair_emphasis(std::vector<InlineToken>& tokens);

// `kept` has the kept parts of the whole file, which this text adds to.
PlacedText text_of(std::vector<InlineToken> tokens, std::vector<TextRange>& kept);

}  // namespace calque
