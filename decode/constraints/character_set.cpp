#include "decode/constraints/character_set.h"

#include <algorithm>

#include "data/text/utf8.h"

namespace calque {

const CodePointSet& all_characters() {
  static const CodePointSet all = {{1, 0xD7FF}, {0xE000, 0x10FFFF}};
  return all;
}

CodePointSet united(CodePointSet a, const CodePointSet& b) {
  a.insert(a.end(), b.begin(), b.end());
  std::ranges::sort(a, {}, &CodePoints::first);
  CodePointSet set;
  for (const CodePoints& range : a) {
    if (!set.empty() && range.first <= set.back().last + 1) {
      set.back().last = std::max(set.back().last, range.last);
    } else {
      set.push_back(range);
    }
  }
  return set;
}

CodePointSet common_to(const CodePointSet& a, const CodePointSet& b) {
  CodePointSet set;
  for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const char32_t first = std::max(a[i].first, b[j].first);
    const char32_t last = std::min(a[i].last, b[j].last);
    if (first <= last) set.push_back({first, last});
    a[i].last < b[j].last ? ++i : ++j;
  }
  return set;
}

CodePointSet without(const CodePointSet& a, const CodePointSet& b) {
  CodePointSet rest;  // the complement of b
  char32_t next = 0;
  for (const CodePoints& range : b) {
    if (range.first > next) rest.push_back({next, range.first - 1});
    next = range.last + 1;
  }
  rest.push_back({next, 0x110000});
  return common_to(a, rest);
}

CodePointSet characters_of(std::string_view text) {
  CodePointSet set;
  for (size_t at = 0; at < text.size();) {
    const char32_t point = next_code_point(text, at);
    set.push_back({point, point});
  }
  return united(std::move(set), {});
}

}  // namespace calque
