#pragma once
// The texts of JSON numbers as patterns. Integers have at most 18 digits, which 64 bits hold;
// numbers have at most 17 more after the point.

#include <cstdint>

#include "decode/constraints/pattern.h"

namespace calque {

inline constexpr int64_t largest_json_integer = 999'999'999'999'999'999;

Pattern json_integer();
Pattern json_number();
// Those from `least` to `most`, both of at most 18 digits.
Pattern json_integer_between(int64_t least, int64_t most);

struct NumberRange {
  int64_t least, most;
  bool without_least = false, without_most = false;
};
// Numbers without exponents, and with at most nine digits after the point, so that one next to an
// excluded bound of at most seven digits is not rounded to it.
Pattern json_number_between(const NumberRange& range);

}  // namespace calque
