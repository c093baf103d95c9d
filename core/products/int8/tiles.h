#pragma once
// The loops of a kernel (core/products/int8/kernel.h) whose sums are kept in registers. A struct
// Dot describes the instruction:
//
//   Left, Right, Total        4 numbers of a row in every column; a part of a line; a part of sums
//   parts                     of a line, and of the sums of a panel
//   rows, panels              the size of a tile, whose sums fit in the registers
//   spread(a)                 a Left with the 4 numbers at a
//   load(line, part)          a Right
//   add(total, left, right)   total + the products
//   store(totals, sums)       writes the sums of 16 columns

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "core/products/int8/kernel.h"

namespace calque::int8 {

inline int32_t word_at(const uint8_t* from) {
  int32_t word;
  std::memcpy(&word, from, sizeof word);
  return word;
}

template <class Dot, int rows, int panels>
void tile(const Block& block, int64_t row, int64_t panel) {
  const int64_t panel_bytes = block.lines * 64;
  const uint8_t* a = block.a + row * block.a_stride;
  const int8_t* b = block.panels + panel * panel_bytes;
  typename Dot::Total total[rows][panels][Dot::parts] = {};
  for (int64_t line = 0; line < block.lines; ++line, a += 4, b += 64) {
    typename Dot::Right right[panels][Dot::parts];
    for (int p = 0; p < panels; ++p) {
      for (int i = 0; i < Dot::parts; ++i) right[p][i] = Dot::load(b + p * panel_bytes, i);
    }
    for (int r = 0; r < rows; ++r) {
      const typename Dot::Left left = Dot::spread(a + r * block.a_stride);
      for (int p = 0; p < panels; ++p) {
        for (int i = 0; i < Dot::parts; ++i) {
          total[r][p][i] = Dot::add(total[r][p][i], left, right[p][i]);
        }
      }
    }
  }
  for (int r = 0; r < rows; ++r) {
    for (int p = 0; p < panels; ++p) {
      Dot::store(total[r][p], block.sums + (row + r) * sums_stride + (panel + p) * 16);
    }
  }
}

// Tiles of nearly equal numbers of rows; panels that do not fill a tile are computed one by one.
template <class Dot>
void multiply(const Block& block) {
  using Tile = void (*)(const Block&, int64_t, int64_t);
  static constexpr auto tiles = []<int... r>(std::integer_sequence<int, r...>) {
    return std::array<std::array<Tile, 2>, sizeof...(r)>{
        {{&tile<Dot, r + 1, 1>, &tile<Dot, r + 1, Dot::panels>}...}};
  }
  (std::make_integer_sequence<int, Dot::rows>());
  const int64_t count = (block.rows + Dot::rows - 1) / Dot::rows;
  const int64_t tall = (block.rows + count - 1) / std::max<int64_t>(1, count);
  for (int64_t panel = 0; panel < block.panel_count;) {
    const bool wide = panel + Dot::panels <= block.panel_count;
    for (int64_t row = 0; row < block.rows; row += tall) {
      const int64_t rows = std::min(tall, block.rows - row);
      tiles[static_cast<size_t>(rows - 1)][wide ? 1 : 0](block, row, panel);
    }
    panel += wide ? Dot::panels : 1;
  }
}

}  // namespace calque::int8
