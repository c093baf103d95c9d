#pragma once
// Which characters of a text are markup in Markdown, so that a backslash precedes them.

#include <string>
#include <string_view>

namespace calque {

// Those that a backslash may precede.
bool is_ascii_punctuation(char c);
bool is_ascii_space(char c);

// Whether a line that begins so would be an item of a list, a heading, a quotation or code.
bool begins_block(std::string_view text);

// Escapes what would be markup. `at_begin` tells whether the text begins a line.
std::string markdown_escaped(std::string_view text, bool at_begin, bool table_cell);

}  // namespace calque
