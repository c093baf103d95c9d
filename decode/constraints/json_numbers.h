#pragma once
// The texts of JSON numbers as patterns. Integers have at most 18 digits, which 64 bits hold;
// numbers have at most 17 more after the point.

#include <cstdint>

#include "decode/constraints/pattern.h"

namespace calque {

inline constexpr int64_t largest_json_integer = 999'999'999'999'999'999;

Pattern json_integer();
Pattern json_number();
// Those from `least` to `most`, both of at most 18 digits. Those that are no integers have no
// exponent.
Pattern json_integer_between(int64_t least, int64_t most);
Pattern json_number_between(int64_t least, int64_t most);

}  // namespace calque
