#pragma once
// What softmax and its losses make of a row: exp(x - m), with m the row's maximum, so that no
// finite input overflows, and the sum to divide them by.

#include "core/simd_math.h"

namespace calque {

// out = exp(x - m), which may be x itself; returns the sum. Meanwhile the row behind x is on its
// way.
inline real exponentials(const real* x, int64_t cols, real m, real* out) {
  const int64_t whole = cols / lanes * lanes, rest = cols - whole;
  Vec total{};
  map(whole, out,
      meanwhile_fetching<For::reading>(x + cols,
                                       [&](Vec v) {
                                         const Vec e = exp(v - m);
                                         total += e;
                                         return e;
                                       }),
      x);
  if (rest > 0) {
    const Vec last = first_lanes(rest) ? exp(load_first(x + whole, rest) - m) : Vec{};
    store_first(out + whole, last, rest);
    total += last;
  }
  return sum(total);
}

}  // namespace calque
