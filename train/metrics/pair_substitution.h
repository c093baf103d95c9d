#pragma once
// The kind of regular expression that tokenization uses: s/(A)(B)/.../g, where A and B are classes
// of characters.

#include <cstddef>

namespace calque {

// Lets write(out, a, b) replace each pair of neighbours for which fits(a, b), from left to right. A
// pair is consumed together: its second character cannot be the first of the next pair.
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
