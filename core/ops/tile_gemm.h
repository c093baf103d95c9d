#pragma once
// Small matrix products for the inside of attention, where the matrices are a few dozen rows of a
// few dozen columns and live in the first caches:  C (m x n) = or += A (m x k) B (k x n).
//
// A's elements may lie anywhere (a row stride and a column stride: its transpose is free); B's and
// C's rows are contiguous, and n is a multiple of the vector width. The inner loop keeps a tile of
// C, as large as the machine has registers for, while it walks down k.

#include "core/block_product.h"
#include "core/simd.h"

namespace calque {

#ifdef __AVX512F__
constexpr int widest_tile = 4;  // vectors; times 6 rows: 24 of 32 registers
#else
constexpr int widest_tile = 1;
#endif

template <int rows, int vectors, bool add>
inline void tile(int64_t k, Strided a, const real* b, int64_t b_stride, real* c, int64_t c_stride) {
  Vec total[rows][vectors] = {};
  for (int64_t j = 0; j < k; ++j) {
    Vec right[vectors];
    for (int v = 0; v < vectors; ++v) right[v] = load(b + j * b_stride + v * lanes);
    for (int r = 0; r < rows; ++r) {
      const Vec left = broadcast(a.data[r * a.row + j * a.col]);
      for (int v = 0; v < vectors; ++v) total[r][v] += left * right[v];
    }
  }
  for (int r = 0; r < rows; ++r) {
    for (int v = 0; v < vectors; ++v) {
      real* to = c + r * c_stride + v * lanes;
      store(to, add ? load(to) + total[r][v] : total[r][v]);
    }
  }
}

template <int vectors, bool add>
void tile_column(int64_t m, int64_t k, Strided a, const real* b, int64_t b_stride, real* c,
                 int64_t c_stride) {
  const auto next = [&](int rows) {
    a.data += rows * a.row;
    c += rows * c_stride;
    m -= rows;
  };
  for (; m >= 6; next(6)) tile<6, vectors, add>(k, a, b, b_stride, c, c_stride);
  if (m >= 4) tile<4, vectors, add>(k, a, b, b_stride, c, c_stride), next(4);
  if (m >= 2) tile<2, vectors, add>(k, a, b, b_stride, c, c_stride), next(2);
  if (m >= 1) tile<1, vectors, add>(k, a, b, b_stride, c, c_stride);
}

// The product itself; n is a multiple of `lanes`.
template <bool add>
void tile_gemm(int64_t m, int64_t n, int64_t k, Strided a, const real* b, int64_t b_stride, real* c,
               int64_t c_stride) {
  constexpr int64_t wide = widest_tile * lanes;
  int64_t col = 0;
  for (; col + wide <= n; col += wide) {
    tile_column<widest_tile, add>(m, k, a, b + col, b_stride, c + col, c_stride);
  }
  if constexpr (widest_tile == 4) {
    switch ((n - col) / lanes) {
      case 3:
        return tile_column<3, add>(m, k, a, b + col, b_stride, c + col, c_stride);
      case 2:
        return tile_column<2, add>(m, k, a, b + col, b_stride, c + col, c_stride);
      case 1:
        return tile_column<1, add>(m, k, a, b + col, b_stride, c + col, c_stride);
      default:
        return;
    }
  }
}

}  // namespace calque
