#include "decode/constraints/utf8_ranges.h"

#include <algorithm>
#include <string>

#include "data/text/utf8.h"

namespace calque {
namespace {

// The largest code points of one, two, three and four bytes.
constexpr std::array<char32_t, 4> largest = {0x7F, 0x7FF, 0xFFFF, 0x10FFFF};

// Adds a range of characters of equal length. It is a product of byte ranges if, from the last byte
// on, all bytes after the first that differs take every value; otherwise it is divided.
void add_ranges(char32_t first, char32_t last, std::vector<ByteRanges>& all) {
  for (int bits = 6; bits <= 18; bits += 6) {
    const char32_t mask = (char32_t{1} << bits) - 1;
    if ((first & ~mask) == (last & ~mask)) break;
    if ((first & mask) != 0 && (first | mask) < last) {
      add_ranges(first, first | mask, all);
      return add_ranges((first | mask) + 1, last, all);
    }
    if ((last & mask) != mask && (last & ~mask) > first) {
      add_ranges(first, (last & ~mask) - 1, all);
      return add_ranges(last & ~mask, last, all);
    }
  }
  std::string from, to;
  append_utf8(first, from);
  append_utf8(last, to);
  ByteRanges ranges;
  for (size_t i = 0; i < from.size(); ++i) {
    ranges.push_back({static_cast<uint8_t>(from[i]), static_cast<uint8_t>(to[i])});
  }
  all.push_back(std::move(ranges));
}

}  // namespace

std::vector<ByteRanges> utf8_ranges(CodePoints range) {
  std::vector<ByteRanges> all;
  char32_t first = range.first;
  for (const char32_t most : largest) {
    if (first > range.last) break;
    if (first > most) continue;
    const char32_t last = std::min(range.last, most);
    // The ASCII characters have one byte and no continuation to align to.
    if (most == 0x7F) {
      all.push_back({{static_cast<uint8_t>(first), static_cast<uint8_t>(last)}});
    } else {
      add_ranges(first, last, all);
    }
    first = last + 1;
  }
  return all;
}

}  // namespace calque
