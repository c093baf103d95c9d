#pragma once
// A right side of products in 16, 8 or 4 bits: bfloat16, or blocks of 32 integers down a column
// with a scale (q8_0, q4_0). It takes the place of the float weights. Products convert its numbers
// where they multiply, a few at a time, so the float matrix never exists; sums have full precision.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/memory/pool.h"
#include "core/precision.h"
#include "core/products/blas.h"

namespace calque {

class CompactMatrix {
 public:
  // For a right side of inner x cols, all 0. It is filled from a matrix that is the right side or,
  // if `flipped`, its transpose.
  CompactMatrix(Precision form, int64_t inner, int64_t cols, bool flipped);

  Precision form() const { return form_; }
  int64_t inner() const { return inner_; }
  int64_t cols() const { return cols_; }
  bool flipped() const { return flipped_; }

  // Rounds rows [first, first + count) of the matrix. `first` must be a multiple of `block`, and so
  // must `count`, unless these are the last rows.
  void put_rows(int64_t first, int64_t count, const real* rows);

  // Writes rows [from, from + depth) of columns [col, col + count) of the right side, or of its
  // transpose, in rows of `count` numbers; zeros beyond the last column. `count` must be a multiple
  // of `lanes` that divides `block`, and `col` a multiple of `count`.
  void expand(bool transposed, int64_t from, int64_t depth, int64_t col, int64_t count,
              real* to) const;
  // All numbers of a column.
  void copy_column(int64_t col, real* to) const;
  // Rows [first, first + count) of the matrix that it was filled from.
  void copy_rows(int64_t first, int64_t count, real* to) const;

  // The same rows as they are stored, in row_bytes() each, with two integers of q4_0 in a byte, the
  // first in its lower half; and the scales, if any, in a matrix with scale_shape(): a row for each
  // row of the matrix if flipped, else for 32 of them.
  int64_t row_bytes() const { return ((flipped_ ? inner_ : cols_) * bits() + 7) / 8; }
  bool has_scales() const { return form_ != Precision::bfloat16; }
  void copy_numbers(int64_t first, int64_t count, std::byte* to) const;
  std::vector<int64_t> scale_shape() const;
  // The reverse: takes rows as they are stored, with their rows of scales. `first` and `count` are
  // as those of put_rows().
  void put_numbers(int64_t first, int64_t count, const std::byte* rows, const real* scales);
  std::vector<real> scales_by_rows() const;

  // The layout that the kernels read: panels of 64 columns with a line for each number of a column,
  // or for two. Zeros follow, to a multiple of `block` numbers.
  static constexpr int64_t panel_cols = 64, block = 32;
  int64_t lines() const { return lines_; }
  int64_t panels() const { return (cols_ + panel_cols - 1) / panel_cols; }
  template <class Number>
  const Number* panel(int64_t number) const {
    return reinterpret_cast<const Number*>(numbers_.data() + number * panel_bytes());
  }
  // Of a form with scales: a line of them for each block of a panel.
  const real* scales(int64_t number) const {
    return scales_.data() + number * lines_ / block * panel_cols;
  }

  // The numbers and the scales, for a copy in another process.
  std::span<std::byte> number_bytes() {
    return {numbers_.data(), static_cast<size_t>(numbers_.size())};
  }
  std::span<std::byte> scale_bytes() {
    return std::as_writable_bytes(std::span(scales_.data(), static_cast<size_t>(scales_.size())));
  }

 private:
  int64_t bits() const {
    return form_ == Precision::bfloat16 ? 16 : form_ == Precision::q8_0 ? 8 : 4;
  }
  int64_t panel_bytes() const { return lines_ * panel_cols * bits() / 8; }
  // Where the byte or bytes of a number begin.
  int64_t place(int64_t line, int64_t col) const {
    const int64_t number = form_ == Precision::q4_0 ? line / 2 : line;
    return col / panel_cols * panel_bytes() +
           (number * panel_cols + col % panel_cols) * std::max<int64_t>(1, bits() / 8);
  }
  // Where the scale of a number is.
  int64_t scale_place(int64_t line, int64_t col) const {
    return (col / panel_cols * lines_ + line) / block * panel_cols + col % panel_cols;
  }
  void require_blocks(int64_t first, int64_t count) const;
  int integer(int64_t line, int64_t col) const;
  void put_block(int64_t line, int64_t col, std::span<const float> numbers);
  real number(int64_t line, int64_t col) const;
  real scale(int64_t block_number, int64_t col) const {
    return scales(col / panel_cols)[block_number * panel_cols + col % panel_cols];
  }

  Precision form_;
  int64_t inner_, cols_, lines_;
  bool flipped_;
  Buffer<std::byte> numbers_;
  Buffer<real> scales_;
};

// Whether compact_product() supports `a` as a left side: it has few rows and is not transposed.
bool converts_for(const Matrix& a);

// Like gemm(a, B), where B is the right side: converts numbers in registers, again for each few
// rows. block_product() multiplies all other products.
void compact_product(const Matrix& a, const CompactMatrix& b, Sink c, real scale, int64_t stride,
                     Finish finish);

}  // namespace calque
