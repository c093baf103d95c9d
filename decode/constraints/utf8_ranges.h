#pragma once
// A range of code points as sequences of byte ranges: U+0000 to U+07FF are [00-7F] and
// [C2-DF][80-BF].

#include <array>
#include <compare>
#include <cstdint>
#include <vector>

#include "data/text/code_points.h"

namespace calque {

struct ByteRange {
  uint8_t first = 0, last = 0;
  auto operator<=>(const ByteRange&) const = default;
};
using ByteRanges = std::vector<ByteRange>;

// The sequences that together spell exactly the characters of the range, which has no surrogates.
std::vector<ByteRanges> utf8_ranges(CodePoints range);

}  // namespace calque
