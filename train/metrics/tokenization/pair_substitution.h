#pragma once
// The kind of regular expression that tokenization uses: s/(A)(B)/.../g, where A and B are classes
// of characters.

#include <cstddef>

namespace calque {

// Calls write(out, a, b) in place of each pair of adjacent characters with fits(a, b), from left to
// right. Pairs do not overlap: the second character of one cannot be the first of the next.
template <class Text, class Fits, class Write>
Text replace_pairs(const Text& text, Fits fits, Write write) {
  Text out;
  out.reserve(text.size() + text.size() / 4);
  for (size_t at = 0; at < text.size();) {
    if (at + 1 < text.size() && fits(text[at], text[at + 1])) {
      write(out, text[at], text[at + 1]);
      at += 2;
    } else {
      out += text[at++];
    }
  }
  return out;
}

}  // namespace calque
