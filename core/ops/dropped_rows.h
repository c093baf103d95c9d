#pragma once
// Rows of x + dropout(y), for the ops that begin so.

#include <algorithm>

#include "core/ops/dropout_mask.h"
#include "core/simd.h"

namespace calque {

// As few numbers at a time as a mask gives at once: while its factors are computed, memory brings
// what was asked for before them, which is more the oftener the two take turns.
inline constexpr int64_t dropped_chunk = DropoutMask::group;

// to = x + factor y over one row, `first` being the number of its first element; returns the sum.
// Meanwhile the next rows of x and y are on their way.
inline real add_dropped(const DropoutMask& mask, int64_t first, int64_t cols, const real* x,
                        const real* y, real* to) {
  alignas(64) real factors[dropped_chunk];
  Vec total{};
  for (int64_t c = 0; c < cols; c += dropped_chunk) {
    const int64_t count = std::min(dropped_chunk, cols - c);
    mask.factors(first + c, count, factors);
    const auto add = [&](Vec u, Vec v, Vec f) {
      const Vec s = u + v * f;
      total += s;
      return s;
    };
    map(count, to + c, meanwhile_fetching<For::reading>(x + c + cols, y + c + cols, add), x + c,
        y + c, static_cast<const real*>(factors));
  }
  return sum(total);
}

}  // namespace calque
