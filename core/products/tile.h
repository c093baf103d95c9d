#pragma once
// The inner loops of a product (core/products/block_product.h): tiles of the result, each in
// registers over the whole inner dimension.

#include <algorithm>
#include <array>
#include <utility>

#include "core/products/bfloat16.h"
#include "core/products/block_product.h"
#include "core/products/prefetch.h"
#include "core/products/tile_size.h"

namespace calque::product {

// At most `count` numbers, then zeros.
inline Vec load_up_to(const real* from, int64_t count) {
  return count >= lanes ? load(from) : count > 0 ? load_first(from, count) : Vec{};
}

// How a product (core/products/block_product.h) reads its operands: unchanged, or rounded to
// bfloat16.
//
// A step of the inner dimension is one number of each operand, or two in one word. A struct has
//
//   per_step          the numbers of a step
//   steps_together    the number of steps is a multiple of this
//   left_in_rows      whether a copy of A always has rows of steps, and multiply() replaces
//                     multiply_block()
//   across(at, inner, rest, count)
//                     one step of `count` adjacent columns of B or rows of A; the next number of
//                     each is `inner` further on, and `rest` of them remain
//   along(at, rest)   several steps, one in each lane, of one column with adjacent numbers
//   spread(at)        one step in all lanes
//   add(total, a, b)  total + the products of a step
struct Numbers {
  static constexpr int64_t per_step = 1, steps_together = 1;
  static constexpr bool left_in_rows = false;
  static Vec across(const real* at, int64_t /*inner*/, int64_t /*rest*/, int64_t count) {
    return load_up_to(at, count);
  }
  static Vec along(const real* at, int64_t rest) { return load_up_to(at, rest); }
  static Vec spread(const real* at) { return broadcast(*at); }
  static Vec add(Vec total, Vec a, Vec b) { return multiply_add(a, b, total); }
};

#ifndef CALQUE_DOUBLE
template <class Arithmetic>  // of core/products/bfloat16.h
struct Bfloat16Pairs {
  static constexpr int64_t per_step = 2, steps_together = 1;
  static constexpr bool left_in_rows = false;
  static Vec across(const real* at, int64_t inner, int64_t rest, int64_t count) {
    return Arithmetic::pairs(rest > 0 ? load_up_to(at, count) : Vec{},
                             rest > 1 ? load_up_to(at + inner, count) : Vec{});
  }
  static Vec along(const real* at, int64_t rest) {
    return Arithmetic::neighbours(load_up_to(at, rest), load_up_to(at + lanes, rest - lanes));
  }
  static Vec spread(const real* at) { return broadcast_bits(at); }
  static Vec add(Vec total, Vec a, Vec b) { return Arithmetic::add_products(total, a, b); }
};
#endif

// A block of B: panel j begins at data + j * panel, and its steps are `row` apart.
struct Panels {
  const real* data;
  int64_t panel, row;
};

// Writes the first `count` numbers of a vector of the result, or all of it.
inline void put(const Destination& to, int64_t row, int64_t col, int64_t count, Vec sum) {
  const bool whole = count >= lanes;
  const auto read = [&](const real* at) { return whole ? load(at) : load_first(at, count); };
  real* const at = to.c.data + row * to.stride + col;
  const Vec scale = broadcast(to.scale);
  sum = to.c.add ? multiply_add(sum, scale, read(at)) : sum * scale;
  if (to.finish.bias) sum = sum + read(to.finish.bias + col);
  if (to.finish.relu) sum = max(Vec{}, sum);
  whole ? store(at, sum) : store_first(at, sum, count);
}

template <int rows, int vectors>
void put_all(const Destination& to, int64_t cols, const Vec (&total)[rows][vectors]) {
#pragma GCC unroll 12
  for (int r = 0; r < rows; ++r) {
    for (int v = 0; v < vectors; ++v) {
      if (v * lanes < cols) put(to, r, v * lanes, cols - v * lanes, total[r][v]);
    }
  }
}

// The sum over all steps of a column of a times a row of the panel. Only every third row of A has
// an address register, because the processor has few. Prefetches C's lines at the start, B's some
// steps ahead (at the end those of the next panel), the rows of A's column that the next tile
// reads, and with each step a line of `later`, the operands of the next block.
template <class Operand, int rows, int vectors>
void tile(int64_t steps, Strided a, const real* b, int64_t b_row, const Destination& to,
          int64_t cols, Prefetch::Cursor& later) {
  constexpr int bases = (rows + 2) / 3;
  constexpr int64_t ahead = 64;
  Vec total[rows][vectors] = {};
  const real* base[bases];
  for (int i = 0; i < bases; ++i) base[i] = a.at(int64_t{3} * i, 0);
  for (int r = 0; r < rows; ++r) {
    for (int v = 0; v < vectors; ++v) __builtin_prefetch(to.c.data + r * to.stride + v * lanes, 1);
  }
  Prefetch::Cursor cursor = later;  // a copy that stays in registers
  for (int64_t j = 0; j < steps; ++j, b += b_row) {
    cursor.fetch_line();
    Vec right[vectors];
    for (int v = 0; v < vectors; ++v) {
      right[v] = load(b + v * lanes);
      __builtin_prefetch(b + ahead * b_row + v * lanes);
    }
    for (int r = 0; r < rows; ++r) {
      const Vec left = Operand::spread(base[r / 3] + r % 3 * a.row);
      for (int v = 0; v < vectors; ++v) total[r][v] = Operand::add(total[r][v], left, right[v]);
    }
    __builtin_prefetch(base[0] + rows + lanes);
    for (int i = 0; i < bases; ++i) base[i] += a.col;
  }
  later = cursor;
  put_all<rows, vectors>(to, cols, total);
}

using Tile = void (*)(int64_t, Strided, const real*, int64_t, const Destination&, int64_t,
                      Prefetch::Cursor&);

// The tile with this number of rows and vectors, at least 1.
template <class Operand>
Tile tile_of(int64_t rows, int64_t vectors) {
  static constexpr auto table = []<int... r>(std::integer_sequence<int, r...>) {
    return std::array<std::array<Tile, 2>, tile_rows>{
        {{&tile<Operand, r + 1, 1>, &tile<Operand, r + 1, tile_vectors>}...}};
  }
  (std::make_integer_sequence<int, tile_rows>());
  return table[static_cast<size_t>(rows - 1)][vectors > 1 ? 1 : 0];
}

// All tiles of a block of C, `steps` deep. Tiles have nearly equal numbers of rows, because a tile
// with very few rows waits for the latency of its own sums.
template <class Operand>
void multiply_block(int64_t m, int64_t n, int64_t steps, Strided a, Panels b, const Destination& to,
                    Prefetch& later) {
  const int64_t tiles = (m + tile_rows - 1) / tile_rows;
  const int64_t tall = (m + tiles - 1) / std::max<int64_t>(1, tiles);
  for (int64_t j = 0; j < n; j += tile_cols) {
    const int64_t cols = std::min(tile_cols, n - j);
    for (int64_t i = 0; i < m; i += tall) {
      tile_of<Operand>(std::min(tall, m - i), (cols + lanes - 1) / lanes)(
          steps, a.from(i, 0), b.data + j / tile_cols * b.panel, b.row, to.at(i, j), cols,
          later.cursor());
    }
  }
}

}  // namespace calque::product
