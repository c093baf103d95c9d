// x + dropout(y), alone; norm.cpp has it with a norm behind it.

#include "core/ops.h"
#include "core/ops/dropped_rows.h"
#include "core/parallel.h"

namespace calque {

Tensor residual(const Tensor& x, const Tensor& y, real p) {
  require(x.shape() == y.shape(), "residual: x is {} but y is {}", x.shape(), y.shape());
  const DropoutMask mask = next_dropout_mask("residual", p);
  const int64_t rows = x.rows(), cols = x.cols();
  Tensor out(x.shape());
  for_rows(rows, cols, [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      const int64_t at = r * cols;
      add_dropped(mask, at, cols, x.data() + at, y.data() + at, out.data() + at);
    }
  });
  return record("residual", out, {&x, &y},
                [=, dx = x.gradient(), dy = y.gradient()](Gradient& dout) {
                  if (dy) mask.apply(rows * cols, dout.data(), dy.open());
                  if (dx) dx.accept(dout);
                });
}

}  // namespace calque
