#pragma once
// Sets of characters, from the lines of a table: a name, then ranges such as 41-5a in hexadecimal.

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string_view>
#include <vector>

namespace calque {

struct CodePoints {
  char32_t first, last;
};
using CodePointSet = std::vector<CodePoints>;  // sorted

inline bool holds(const CodePointSet& set, char32_t point) {
  const auto after = std::ranges::upper_bound(set, point, {}, &CodePoints::first);
  return after != set.begin() && point <= std::prev(after)->last;
}

// Removes the text up to and including `end`. Returns it without `end`.
inline std::string_view cut(std::string_view& rest, char end) {
  const size_t length = std::min(rest.find(end), rest.size());
  const std::string_view part = rest.substr(0, length);
  rest.remove_prefix(std::min(length + 1, rest.size()));
  return part;
}

inline CodePointSet parse_ranges(std::string_view line) {
  CodePointSet set;
  cut(line, ' ');  // the name
  while (!line.empty()) {
    std::string_view range = cut(line, ' ');
    uint32_t numbers[2] = {};
    for (uint32_t& number : numbers) {
      const std::string_view digits = cut(range, '-');
      std::from_chars(digits.data(), digits.data() + digits.size(), number, 16);
    }
    set.push_back({numbers[0], numbers[1]});
  }
  return set;
}

}  // namespace calque
