#pragma once
// The words of a text in any language, without a vocabulary: letters and digits in a row. Of
// scripts without spaces between words (Chinese, Japanese, Thai, ...), each character is a word.

#include <string>
#include <string_view>
#include <vector>

#include "data/text/text_range.h"

namespace calque {

// Other characters separate words; with `signs`, each of them that is no white space is a word too.
// Requires well-formed UTF-8.
std::vector<TextRange> word_ranges(std::string_view text, bool signs = false);

}  // namespace calque
