#pragma once
// Texts without the white space around them.

#include <string_view>

namespace calque {

// Without the characters of `white` at both ends.
inline std::string_view trimmed(std::string_view text, std::string_view white) {
  const size_t first = text.find_first_not_of(white);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(white) + 1 - first);
}

}  // namespace calque
