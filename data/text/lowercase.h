#pragma once
// Lower case by Unicode's one-to-one mappings, independent of locale and context: the Turkish
// dotless i and the final sigma are not handled.

#include <string>
#include <string_view>

namespace calque {

// Requires well-formed UTF-8.
std::string lowercase(std::string_view text);

// Only A to Z become lower case. The text may have any bytes.
std::string ascii_lowercase(std::string_view text);

}  // namespace calque
