#pragma once
// Signs of a bad line that the line itself shows.

#include <string_view>

namespace calque {

// Whether a text has an HTML tag or a character reference, such as <br> or &amp;.
bool has_markup(std::string_view text);

// Whether a text has UTF-8 that was read as Latin-1 or Windows-1252, such as "Ã¤", or U+FFFD.
bool has_mojibake(std::string_view text);

}  // namespace calque
