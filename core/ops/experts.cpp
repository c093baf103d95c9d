// The ops of a mixture of experts: pick_cols() selects columns of each row, and mix_rows() computes
// weighted sums of rows.

#include "core/ops.h"
#include "core/simd/vector.h"
#include "core/threads/parallel.h"

namespace calque {

Tensor pick_cols(const Tensor& x, std::span<const int32_t> cols) {
  const int64_t rows = x.rows(), width = x.cols(), count = std::ssize(cols);
  require(rows > 0 ? count % rows == 0 : count == 0,
          "pick_cols: {} columns cannot be divided among the rows of x {}", count, x.shape());
  const int64_t per_row = rows > 0 ? count / rows : 0;
  Tensor y(x.shape().with_cols(per_row));
  for (int64_t i = 0; i < count; ++i) {
    require(cols[i] >= 0 && cols[i] < width, "pick_cols: x {} has no column {}", x.shape(),
            cols[i]);
    y.data()[i] = x.data()[i / per_row * width + cols[i]];
  }
  return record("pick_cols", y, {&x},
                [per_row, width, dx = x.gradient(),
                 cols = std::vector<int32_t>(cols.begin(), cols.end())](Gradient& dy) {
                  real* out = dx.open_cleared();
                  for (int64_t i = 0; i < std::ssize(cols); ++i) {
                    out[i / per_row * width + cols[i]] += dy.data()[i];
                  }
                });
}

// No row of x contributes to two rows of the result, so both passes compute the rows in parallel.
Tensor mix_rows(const Tensor& x, const Tensor& weights, std::span<const int32_t> rows) {
  const int64_t width = x.cols(), per_row = weights.cols(), count = weights.rows();
  require(std::ssize(rows) == weights.size(), "mix_rows: {} row indices for the weights {}",
          rows.size(), weights.shape());
  std::vector<bool> taken(x.rows());
  for (const int32_t row : rows) {
    require(row < x.rows() && (row < 0 || !taken[row]),
            "mix_rows: row {} of x {} does not exist or occurs twice", row, x.shape());
    if (row >= 0) taken[row] = true;
  }
  Tensor y = Tensor::zeros({count, width});
  for_rows(count, per_row * width, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin * per_row; i < end * per_row; ++i) {
      if (rows[i] < 0) continue;
      const real w = weights.data()[i];
      map_into(
          width, y.data() + i / per_row * width, true, [w](Vec v) { return w * v; },
          x.data() + rows[i] * width);
    }
  });
  return record(
      "mix_rows", y, {&x, &weights},
      [=, x = x.values(), w = weights.values(), dx = x.gradient(), dw = weights.gradient(),
       rows = std::vector<int32_t>(rows.begin(), rows.end())](Gradient& dy) {
        real* const to_x = dx ? dx.open_cleared() : nullptr;
        real* const to_w = dw ? dw.open_cleared() : nullptr;
        for_rows(count, 2 * per_row * width, [&](int64_t begin, int64_t end) {
          for (int64_t i = begin * per_row; i < end * per_row; ++i) {
            if (rows[i] < 0) continue;
            const real* g = dy.data() + i / per_row * width;
            const int64_t at = rows[i] * width;
            const auto scaled = [weight = w.data()[i]](Vec v) { return weight * v; };
            if (to_x) map_into(width, to_x + at, true, scaled, g);
            if (to_w) to_w[i] += dot(width, g, x.data() + at);
          }
        });
      });
}

}  // namespace calque
