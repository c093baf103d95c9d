#pragma once
// The sums or the maxima of many vectors at once, which cost little more than those of one.

#include "core/simd.h"

namespace calque {

// a and b interleaved, and the halves of that combined.
template <class Combine>
Vec interleaved(Vec a, Vec b, Combine combine) {
#ifdef CALQUE_DOUBLE
  return combine(__builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11),
                 __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15));
#else
  return combine(
      __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23),
      __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31));
#endif
}

// Lane i of the result is the lanes of vector(i), combined. Each is interleaved with its partner
// half of all vectors away, log2(lanes) times, as soon as both are there: few wait in registers.
template <int64_t first = 0, int64_t step = 1, class Vectors, class Combine>
[[gnu::always_inline]] inline Vec folds_of_lanes(const Vectors& vector, Combine combine) {
  if constexpr (step == lanes) {
    return vector(first);
  } else {
    return interleaved(folds_of_lanes<first, step * 2>(vector, combine),
                       folds_of_lanes<first + step, step * 2>(vector, combine), combine);
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
