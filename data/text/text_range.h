#pragma once
// A part of a text, by the offsets of its bytes.

#include <cstddef>
#include <string_view>

namespace calque {

struct TextRange {
  size_t begin = 0, end = 0;

  std::string_view of(std::string_view text) const { return text.substr(begin, end - begin); }
  bool operator==(const TextRange&) const = default;
};

}  // namespace calque
