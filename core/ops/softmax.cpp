// softmax(x) = exp(x - m) / sum, where m is the row's maximum, so that no finite input overflows.

#include <limits>

#include "core/ops.h"
#include "core/simd/math.h"
#include "core/threads/rows.h"

namespace calque {
namespace {

real row_maximum(const real* x, int64_t cols) {
  constexpr real least = std::numeric_limits<real>::lowest();
  Vec most = broadcast(least), next = most;
  int64_t c = 0;
  for (; c + 2 * lanes <= cols; c += 2 * lanes) {
    most = max(most, load(x + c));
    next = max(next, load(x + c + lanes));
  }
  real m = maximum(max(most, next));
  for (; c < cols; ++c) m = std::max(m, x[c]);
  return m;
}

template <class Row>
void each_row(int64_t rows, int64_t cols, Row&& row) {
  for_each_row(rows, cols * 4, [&](int64_t r) { row(r * cols); });
}

}  // namespace

Tensor softmax(const Tensor& x) {
  const int64_t rows = x.rows(), cols = x.cols();
  Tensor y(x.shape());
  if (y.size() > 0) {
    each_row(rows, cols, [&](int64_t at) {
      const real* in = x.data() + at;
      real* out = y.data() + at;
      const real share = 1 / exponentials(in, cols, row_maximum(in, cols), out);
      const auto scale = [=](Vec v) { return v * share; };
      map(cols, out, scale, out);
    });
  }
  return record("softmax", y, {&x}, [=, y = y.values(), dx = x.gradient()](Gradient& dy) {
    const Sink out = dx.open();  // dx = y (dy - sum(dy y))
    each_row(rows, cols, [&](int64_t at) {
      const real *g = dy.data() + at, *p = y.data() + at;
      const real total = dot(cols, g, p);
      const auto gradient = [=](Vec u, Vec v) { return v * (u - total); };
      map_into(cols, out.data + at, out.add, gradient, g, p);
    });
  });
}

Tensor log_softmax(const Tensor& x) {
  const int64_t rows = x.rows(), cols = x.cols();
  Tensor y(x.shape());
  if (y.size() > 0) {
    each_row(rows, cols, [&](int64_t at) {
      const real* in = x.data() + at;
      const real m = row_maximum(in, cols);
      const auto exp_of = [=](Vec v) { return exp(v - m); };
      const real log_sum = std::log(sum(sum_lanes(cols, exp_of, in)));
      // m + log_sum would lose the digits of log_sum where m is large.
      const auto result = [=](Vec v) { return (v - m) - log_sum; };
      map(cols, y.data() + at, result, in);
    });
  }
  return record("log_softmax", y, {&x}, [=, y = y.values(), dx = x.gradient()](Gradient& dy) {
    const Sink out = dx.open();  // dx = dy - exp(y) sum(dy)
    each_row(rows, cols, [&](int64_t at) {
      const real* g = dy.data() + at;
      const real total = sum(sum_lanes(cols, as_it_is, g));
      const auto gradient = [=](Vec u, Vec v) { return u - exp(v) * total; };
      map_into(cols, out.data + at, out.add, gradient, g, y.data() + at);
    });
  });
}

}  // namespace calque
