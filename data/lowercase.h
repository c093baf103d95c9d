#pragma once
// Lower case by Unicode's one-to-one mappings, independent of the locale: language-dependent cases
// such as the final sigma and the Turkish dotless i are not handled.

#include <string>
#include <string_view>

namespace calque {

// Requires well-formed UTF-8.
std::string lowercase(std::string_view text);

}  // namespace calque
