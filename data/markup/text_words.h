#pragma once
// The words of a text as parts that a tag may stand between.

#include <string_view>
#include <vector>

#include "data/text/text_range.h"

namespace calque {

// Runs of letters and digits, single characters of scripts without spaces, single marks of
// punctuation, and kept parts (data/markup/marked_text.h). Only white space is in none.
std::vector<TextRange> text_words(std::string_view text);

// Whether a word is punctuation.
bool is_mark(std::string_view word);

}  // namespace calque
