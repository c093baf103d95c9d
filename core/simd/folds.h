#pragma once
// Operations across the lanes of as many vectors as a vector has lanes: sums, maxima,
// transposition.

#include <algorithm>

#include "core/simd/vector.h"

namespace calque {

// Lane i of the result combines the lanes of vector(i). Vectors are interleaved with their partners
// half of all vectors away, log2(lanes) times, in an order that needs few registers.
template <int64_t first = 0, int64_t step = 1, class Vectors, class Combine>
[[gnu::always_inline]] inline Vec folds_of_lanes(const Vectors& vector, Combine combine) {
  if constexpr (step == lanes) {
    return vector(first);
  } else {
    const Vec a = folds_of_lanes<first, step * 2>(vector, combine);
    const Vec b = folds_of_lanes<first + step, step * 2>(vector, combine);
    return combine(interleave_first(a, b), interleave_second(a, b));
  }
}

template <class Vectors>
[[gnu::always_inline]] inline Vec sums_of_lanes(const Vectors& vector) {
  return folds_of_lanes(vector, [](Vec a, Vec b) { return a + b; });
}

template <class Vectors>
[[gnu::always_inline]] inline Vec maxima_of_lanes(const Vectors& vector) {
  return folds_of_lanes(vector, [](Vec a, Vec b) { return max(a, b); });
}

// Transposes a square of numbers, a vector in each row. Rows are interleaved with their partners
// half a square away, log2(lanes) times.
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
