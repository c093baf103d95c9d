#pragma once
// The inside of a product (core/block_product.h): tiles of the result, each kept in registers while
// the product walks down the inner dimension, and put where they belong.

#include <algorithm>
#include <array>
#include <utility>

#include "core/block_product.h"
#include "core/product_operands.h"
#include "core/read_ahead.h"

namespace calque::product {

// A block of B as the tile reads it: panel j begins at data + j * panel, its steps are `row` apart.
struct Panels {
  const real* data;
  int64_t panel, row;
};

// Some numbers of the result: all of a vector's, or the first `count`.
template <class Load, class Store>
void put(const Destination& to, int64_t row, int64_t col, Vec sum, Load&& load_some,
         Store&& store_some) {
  real* const at = to.c.data + row * to.stride + col;
  const Vec scale = broadcast(to.scale);
  sum = to.c.add ? multiply_add(sum, scale, load_some(at)) : sum * scale;
  if (to.finish.bias) sum = sum + load_some(to.finish.bias + col);
  if (to.finish.relu) sum = max(Vec{}, sum);
  store_some(at, sum);
}

template <int rows, int vectors>
void put_all(const Destination& to, int64_t cols, const Vec (&total)[rows][vectors]) {
  for (int r = 0; r < rows; ++r) {
    for (int v = 0; v < vectors; ++v) {
      const int64_t left = cols - v * lanes;
      if (left >= lanes) {
        put(to, r, v * lanes, total[r][v], load, store);
      } else if (left > 0) {
        put(
            to, r, v * lanes, total[r][v], [=](const real* from) { return load_first(from, left); },
            [=](real* at, Vec sum) { store_first(at, sum, left); });
      }
    }
  }
}

// The same for whole vectors that nothing is to become of, each from its register.
template <int rows, int vectors>
void put_whole(const Destination& to, const Vec (&total)[rows][vectors]) {
  real* at = to.c.data;
  const Vec scale = broadcast(to.scale);
  if (to.c.add) {
#pragma GCC unroll 12
    for (int r = 0; r < rows; ++r, at += to.stride) {
      for (int v = 0; v < vectors; ++v) {
        store(at + v * lanes, multiply_add(total[r][v], scale, load(at + v * lanes)));
      }
    }
  } else {
#pragma GCC unroll 12
    for (int r = 0; r < rows; ++r, at += to.stride) {
      for (int v = 0; v < vectors; ++v) store(at + v * lanes, total[r][v] * scale);
    }
  }
}

// The sum over all steps of a column of a times a row of the panel, put into the result. A's rows
// are addressed from every third, which leaves the processor's few address registers enough. C's
// lines are asked for at the start: large ones come from memory, and are needed only at the end.
// B's are asked for well before they are needed: the next panel's, in the end. So are A's where its
// columns lie together, each a long way from the last: the next tile's. Each step also asks for a
// line of what the next block will read, `later`.
template <class Operand, int rows, int vectors>
void tile(int64_t steps, Strided a, const real* b, int64_t b_row, const Destination& to,
          int64_t cols, ReadAhead::Cursor& later) {
  constexpr int bases = (rows + 2) / 3;
  constexpr int64_t ahead = 64;
  Vec total[rows][vectors] = {};
  const real* base[bases];
  for (int i = 0; i < bases; ++i) base[i] = a.at(int64_t{3} * i, 0);
  for (int r = 0; r < rows; ++r) {
    for (int v = 0; v < vectors; ++v) __builtin_prefetch(to.c.data + r * to.stride + v * lanes, 1);
  }
  ReadAhead::Cursor cursor = later;  // in registers
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
  const bool as_it_is = cols >= vectors * lanes && !to.finish.bias && !to.finish.relu;
  as_it_is ? put_whole<rows, vectors>(to, total) : put_all<rows, vectors>(to, cols, total);
}

using Tile = void (*)(int64_t, Strided, const real*, int64_t, const Destination&, int64_t,
                      ReadAhead::Cursor&);

// The tile for a number of rows and of vectors, both counted from 1.
template <class Operand>
Tile tile_of(int64_t rows, int64_t vectors) {
  static constexpr auto table = []<int... r>(std::integer_sequence<int, r...>) {
    return std::array<std::array<Tile, 2>, tile_rows>{
        {{&tile<Operand, r + 1, 1>, &tile<Operand, r + 1, tile_vectors>}...}};
  }
  (std::make_integer_sequence<int, tile_rows>());
  return table[static_cast<size_t>(rows - 1)][vectors > 1 ? 1 : 0];
}

// Every tile of a block of C, `steps` deep. Tiles have as equal a number of rows as can be: one of
// very few rows would wait for each of its own sums.
template <class Operand>
void multiply_block(int64_t m, int64_t n, int64_t steps, Strided a, Panels b, const Destination& to,
                    ReadAhead& later) {
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
