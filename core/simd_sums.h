#pragma once
// The sums of many vectors at once, which costs little more than the sum of one.

#include "core/simd.h"

namespace calque {

// a and b interleaved, and the halves of that added.
inline Vec interleaved_sum(Vec a, Vec b) {
#ifdef CALQUE_DOUBLE
  return __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11) +
         __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
#else
  return __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23) +
         __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15,
                                 31);
#endif
}

// Lane i of the result is the sum of the lanes of vector(i). Each is interleaved with its partner
// half of all vectors away, log2(lanes) times, as soon as both are there: few wait in registers.
template <int64_t first = 0, int64_t step = 1, class Vectors>
[[gnu::always_inline]] inline Vec sums_of_lanes(const Vectors& vector) {
  if constexpr (step == lanes) {
    return vector(first);
  } else {
    return interleaved_sum(sums_of_lanes<first, step * 2>(vector),
                           sums_of_lanes<first + step, step * 2>(vector));
  }
}

}  // namespace calque
