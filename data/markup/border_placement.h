#pragma once
// Divides the translation of a sentence of several subtitles.

#include <string_view>
#include <vector>

#include "data/markup/marked_text.h"

namespace calque {

// The tags that are borders.
std::vector<size_t> border_tags(const MarkedText& source);

// The number of words of the translation before each border: at white space, in proportion to the
// length of the source, and rather behind punctuation. A part has words as long as there are
// enough.
std::vector<size_t> words_before_borders(const MarkedText& source, std::string_view translation,
                                         const std::vector<TextRange>& words);

}  // namespace calque
