#pragma once
// The sums of many vectors at once, which costs little more than the sum of one.

#include "core/simd.h"

namespace calque {

// Lane i of the result is the sum of the lanes of v[i]. Vectors are interleaved with their partners
// half the array away and their halves added, log2(lanes) times; v is used up.
inline Vec sums_of_lanes(Vec (&v)[lanes]) {
  for (int64_t half = lanes / 2; half > 0; half /= 2) {
    for (int64_t i = 0; i < half; ++i) {
      const Vec a = v[i], b = v[i + half];
#ifdef CALQUE_DOUBLE
      v[i] = __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11) +
             __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
#else
      v[i] = __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23) +
             __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15,
                                     31);
#endif
    }
  }
  return v[0];
}

}  // namespace calque
