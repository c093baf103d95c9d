#pragma once
// Lower case by Unicode's one-to-one mappings, the same under every locale: the final sigma, the
// Turkish dotless i and other matters of language are left alone, and a German sharp s stays one.

#include <string>
#include <string_view>

namespace calque {

// The text must be well-formed UTF-8.
std::string lowercase(std::string_view text);

}  // namespace calque
