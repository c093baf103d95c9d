#pragma once
// Weights rounded to 8-bit integers, for inference. Each column of the right side of a product has
// a scale of its own. int8_product() rounds each row of its left side in the same way, adds the
// products of the integers, which is exact, and multiplies the sum by both scales. So a row of the
// result depends on no other row, and no bit of it depends on the processor's instructions for
// integers or on the number of threads.

#include <cstdint>

#include "core/memory/pool.h"
#include "core/products/blas.h"

namespace calque {

class Int8Matrix {
 public:
  // Rounds a right side, which is inner() x cols(). The scale of a column is its largest magnitude
  // divided by 127, rounded up to 16 significant bits. Then integer times scale is exact, and
  // rounding the results again gives the same integers and scales.
  explicit Int8Matrix(const Matrix& b);

  int64_t inner() const { return inner_; }
  int64_t cols() const { return cols_; }
  bool flipped() const { return flipped_; }  // as the rounded Matrix

  // Number (row, col), after rounding: its integer times the scale of the column.
  int8_t integer(int64_t row, int64_t col) const { return numbers_[place(row, col)]; }
  real at(int64_t row, int64_t col) const {
    return static_cast<real>(integer(row, col)) * scales_[col];
  }

  // The layout that the kernels read: panels of 16 columns, and in each panel lines of 64 bytes
  // with 4 adjacent numbers of every column. Zeros follow, to a multiple of 16 lines.
  static constexpr int64_t panel_cols = 16, line_rows = 4, line_bytes = panel_cols * line_rows;
  int64_t lines() const { return lines_; }
  int64_t panels() const { return (cols_ + panel_cols - 1) / panel_cols; }
  const int8_t* panel(int64_t number) const {
    return numbers_.data() + number * lines_ * line_bytes;
  }
  // Of each column, to the end of the last panel: the scale, and 128 times the sum of its integers.
  const real* scales() const { return scales_.data(); }
  const int32_t* offsets() const { return offsets_.data(); }

 private:
  // The index of a number in the layout.
  int64_t place(int64_t row, int64_t col) const {
    const int64_t line = col / panel_cols * lines_ + row / line_rows;
    return line * line_bytes + col % panel_cols * line_rows + row % line_rows;
  }
  void round_column(const real* column, int64_t stride, int64_t col);

  int64_t inner_, cols_, lines_;
  bool flipped_;
  Buffer<int8_t> numbers_;
  Buffer<real> scales_;
  Buffer<int32_t> offsets_;
};

// Like gemm(). `a` must not be transposed.
void int8_product(const Matrix& a, const Int8Matrix& b, Sink c, real scale, int64_t stride,
                  Finish finish);

// The instructions that add the products: "AMX", "AVX512-VNNI", ...
const char* int8_instructions();

}  // namespace calque
