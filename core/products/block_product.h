#pragma once
// Matrix products on one thread: of small matrices, as in attention, and the products of gemm() in
// bfloat16 or where OpenBLAS does not use the processor's vectors (core/products/blas.cpp).
//
// As in Goto (2008), a tile of C stays in registers over the whole inner dimension, and a block of
// B is copied to narrow panels that stay in the L2 cache. A is read in place, one number at a time;
// for the matrices of a Transformer, a copy is worthwhile only if the columns of A conflict in the
// cache. In bfloat16 (core/products/bfloat16.h) both operands are copied, two numbers to a word.
// The numbers of a compact B are converted while they are copied. The order of each sum does not
// depend on where blocks of rows and columns begin, so threads may split a product anywhere.

#include <cstdint>

#include "core/memory/pool.h"
#include "core/products/blas.h"
#include "core/tensor.h"

namespace calque {

// An operand to read: element (i, j) is data[i * row + j * col].
struct Strided {
  const real* data = nullptr;
  int64_t row = 0, col = 0;
  const real* at(int64_t i, int64_t j) const { return data + i * row + j * col; }
  Strided from(int64_t i, int64_t j) const { return {at(i, j), row, col}; }
};

// Whether addresses this far apart map to the same few sets of the L1 cache: multiples of 1 KB.
inline bool conflicts(int64_t stride) {
  return stride * static_cast<int64_t>(sizeof(real)) % 1024 == 0;
}

// The sizes of a product: c, m x n, is a sum over k.
struct ProductSize {
  int64_t m, n, k;
};

// Where a product or a block of it is written: c = scale a b, or c += scale a b.
struct Destination {
  Sink c{nullptr, false};
  int64_t stride = 0;  // between rows
  real scale = 1;
  Finish finish = {};
  Destination at(int64_t row, int64_t col) const {
    return {{c.data + row * stride + col, c.add}, stride, scale, finish.from(col)};
  }
};

// The product of small matrices that are in the cache. B's rows are contiguous, `b_row` apart, and
// readable to the end of a vector.
void tile_product(ProductSize size, Strided a, const real* b, int64_t b_row, const Destination& to);

// The size of the scratch memory that the product needs, in numbers. Its alignment must be that of
// the pool.
int64_t block_product_scratch(ProductSize size, Strided a, Precision precision = Precision::full);

// A right side, k x n, copied to panels for many products.
class PackedMatrix {
 public:
  PackedMatrix(Strided b, int64_t k, int64_t n);
  // The panels of rows [from, from + depth), a block of the inner dimension, from column `col` on,
  // which must be the first column of a panel.
  const real* panels(int64_t from, int64_t depth, int64_t col) const {
    return panels_.data() + from * padded_cols_ + depth * col;
  }

 private:
  int64_t padded_cols_;
  Buffer<real> panels_;
};

// The right side of a product: a matrix, one of whose strides is 1, or columns of another, from one
// that begins a panel. Products with a packed one have full precision and need no scratch memory.
struct RightSide {
  RightSide(Strided matrix) : b(matrix) {}
  RightSide(const PackedMatrix& matrix, int64_t from) : packed(&matrix), first_col(from) {}
  RightSide(const CompactMatrix& matrix, bool is_transposed, int64_t from)
      : compact(&matrix), transposed(is_transposed), first_col(from) {}

  Strided b;
  const PackedMatrix* packed = nullptr;
  const CompactMatrix* compact = nullptr;
  bool transposed = false;  // the right side is the transpose of the compact matrix
  int64_t first_col = 0;
};

// In bfloat16, one of the strides of a must be 1.
void block_product(ProductSize size, Strided a, const RightSide& b, const Destination& to,
                   real* scratch, Precision precision = Precision::full);

}  // namespace calque
