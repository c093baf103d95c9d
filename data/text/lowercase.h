#pragma once
// Lower case by Unicode's one-to-one mappings, independent of locale and context: the Turkish
// dotless i and the final sigma are not handled. Letters that are newer than the tables of the
// installed utf8proc (Unicode 15.0 on Debian 12, 15.1 on Debian 13, which adds no capitals) keep
// their case.

#include <string>
#include <string_view>

namespace calque {

// Requires well-formed UTF-8.
std::string lowercase(std::string_view text);
char32_t lowercase(char32_t letter);

// Only A to Z become lower case. The text may have any bytes.
std::string ascii_lowercase(std::string_view text);
inline char ascii_lowercase(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

}  // namespace calque
