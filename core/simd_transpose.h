#pragma once
// A square of numbers, a vector a row, transposed in registers.

#include <algorithm>

#include "core/simd.h"

namespace calque {

// Rows are interleaved with their partners half a square away, log2(lanes) times.
inline void transpose(Vec (&row)[lanes]) {
  for (int64_t half = lanes / 2; half > 0; half /= 2) {
    Vec next[lanes];
    for (int64_t i = 0; i < lanes / 2; ++i) {
      const Vec a = row[i], b = row[i + lanes / 2];
#ifdef CALQUE_DOUBLE
      next[2 * i] = __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
      next[2 * i + 1] = __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
#else
      next[2 * i] =
          __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
      next[2 * i + 1] = __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29,
                                                14, 30, 15, 31);
#endif
    }
    std::copy_n(next, lanes, row);
  }
}

}  // namespace calque
