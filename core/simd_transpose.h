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
      next[2 * i] = interleave_first(a, b);
      next[2 * i + 1] = interleave_second(a, b);
    }
    std::copy_n(next, lanes, row);
  }
}

}  // namespace calque
