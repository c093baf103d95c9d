#include "core/products/int8/matrix.h"

#include <algorithm>
#include <cmath>

#include "core/threads/parallel.h"

namespace calque {
namespace {

// The scale of a column: most / 127, rounded up to 16 significant bits.
real column_scale(real most) {
  if (most == 0 || !std::isfinite(most)) return most;
  int exponent;
  const real fraction = std::frexp(most / 127, &exponent);
  return std::ldexp(std::ceil(std::ldexp(fraction, 16)), exponent - 16);
}

}  // namespace

Int8Matrix::Int8Matrix(const Matrix& b)
    : inner_(b.flipped ? b.cols : b.rows),
      cols_(b.flipped ? b.rows : b.cols),
      lines_((inner_ + line_bytes - 1) / line_bytes * (line_bytes / line_rows)),
      flipped_(b.flipped),
      numbers_(panels() * lines_ * line_bytes),
      scales_(panels() * panel_cols),
      offsets_(panels() * panel_cols) {
  parallel_for(panels(), 1, [&](int64_t number, int64_t) {
    const int64_t first = number * panel_cols;
    std::fill_n(numbers_.data() + place(0, first), lines_ * line_bytes, int8_t{0});
    std::fill_n(scales_.data() + first, panel_cols, real(0));
    std::fill_n(offsets_.data() + first, panel_cols, 0);
    for (int64_t col = first; col < std::min(cols_, first + panel_cols); ++col) {
      round_column(b.data + col * (b.flipped ? b.stride : 1), b.flipped ? 1 : b.stride, col);
    }
  });
}

void Int8Matrix::round_column(const real* column, int64_t stride, int64_t col) {
  real most = 0;
  for (int64_t i = 0; i < inner_; ++i) most = std::max(most, std::abs(column[i * stride]));
  const real scale = column_scale(most);
  int32_t sum = 0;
  for (int64_t i = 0; i < inner_ && scale > 0; ++i) {
    const auto number = static_cast<int8_t>(std::nearbyint(column[i * stride] / scale));
    numbers_[place(i, col)] = number;
    sum += number;
  }
  scales_[col] = scale;
  offsets_[col] = 128 * sum;
}

}  // namespace calque
