#pragma once
// Products of matrices on one thread, with vectors as wide as this machine's: of small ones, as
// inside attention, and of any where the installed BLAS is slow (core/blas.cpp says when).
//
// As in every fast product since Goto (2008), a tile of C is kept in registers while the product
// walks down the inner dimension, and a block of B is copied to narrow panels that stay in the
// first caches. A is read where it lies, one number at a time: for matrices as small as a
// Transformer's that costs less than to copy it too, unless its columns compete for the caches.
// Operands rounded to bfloat16 (core/bfloat16.h) are both copied, two numbers to a word.
// Every number of C is summed in the same order wherever the blocks of rows and columns begin, so a
// product may be cut between threads anywhere.

#include <cstdint>

#include "core/blas.h"
#include "core/memory.h"
#include "core/simd.h"
#include "core/tensor.h"

namespace calque {

// An operand to read: element (i, j) is data[i * row + j * col].
struct Strided {
  const real* data;
  int64_t row, col;
  const real* at(int64_t i, int64_t j) const { return data + i * row + j * col; }
  Strided from(int64_t i, int64_t j) const { return {at(i, j), row, col}; }
};

// Whether what lies so many numbers apart competes for the same few places of the first cache: at a
// multiple of 1 KB it does.
inline bool competes(int64_t stride) {
  return stride * static_cast<int64_t>(sizeof(real)) % 1024 == 0;
}

// The sizes of a product: c, m x n, is a sum over k.
struct ProductSize {
  int64_t m, n, k;
};

// Where a product or a block of it goes, and how: c = scale a b, or c += scale a b.
struct Destination {
  Sink c;
  int64_t stride;  // between rows
  real scale = 1;
  Finish finish = {};
  Destination at(int64_t row, int64_t col) const {
    return {{c.data + row * stride + col, c.add}, stride, scale, finish.from(col)};
  }
};

// A tile of the result, which is kept in registers.
#ifdef __AVX512F__
constexpr int tile_rows = 12, tile_vectors = 2;  // 24 of 32 registers
#else
constexpr int tile_rows = 6, tile_vectors = 2;  // 12 of 16
#endif
constexpr int64_t tile_cols = tile_vectors * lanes;

// The product of matrices that are in the first caches. B's rows lie together, `b_row` apart, and
// are readable to the end of a vector.
void tile_product(ProductSize size, Strided a, const real* b, int64_t b_row, const Destination& to);

// How many numbers of scratch memory the product needs, at a place aligned as the pool's are.
int64_t block_product_scratch(ProductSize size, Strided a, Precision precision = Precision::full);

// One of the strides of b is 1, and with operands rounded one of those of a.
void block_product(ProductSize size, Strided a, Strided b, const Destination& to, real* scratch,
                   Precision precision = Precision::full);

// A right side, k x n, copied to panels once for many products.
class PackedMatrix {
 public:
  PackedMatrix(Strided b, int64_t k, int64_t n);
  // The panels of rows [from, from + depth), which are one block of a product's inner dimension,
  // from column `col` on, which begins a panel.
  const real* panels(int64_t from, int64_t depth, int64_t col) const {
    return panels_.data() + from * padded_cols_ + depth * col;
  }

 private:
  int64_t padded_cols_;
  Buffer<real> panels_;
};

// The same with columns [first_col, first_col + n) of b, where a panel begins with the first.
void block_product(ProductSize size, Strided a, const PackedMatrix& b, int64_t first_col,
                   const Destination& to);

}  // namespace calque
