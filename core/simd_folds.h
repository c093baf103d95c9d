#pragma once
// The sums or the maxima of many vectors at once, which cost little more than those of one.

#include "core/simd.h"

namespace calque {

// Lane i of the result is the lanes of vector(i), combined. Each is interleaved with its partner
// half of all vectors away, log2(lanes) times, as soon as both are there: few wait in registers.
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

}  // namespace calque
