#include "core/block_product.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/simd.h"
#include "core/simd_transpose.h"

namespace calque {
namespace {

// The inner dimension is cut into blocks this deep at most: long ones, because the numbers of C are
// read and written again for each. Blocks of A have block_rows rows.
constexpr int64_t most_depth = 512, block_rows = int64_t{8} * tile_rows;

// The columns of a block of B: half of the second cache for the deepest.
int64_t block_cols() {
  static const int64_t cols = [] {
#ifdef _SC_LEVEL2_CACHE_SIZE
    const int64_t cache = sysconf(_SC_LEVEL2_CACHE_SIZE);  // 0 or -1 where it is not known
#else
    const int64_t cache = 0;
#endif
    constexpr int64_t column = most_depth * static_cast<int64_t>(sizeof(real));
    return std::clamp(round_up(cache / 2 / column, tile_cols), 8 * tile_cols, 16 * tile_cols);
  }();
  return cols;
}

// With fewer rows than this in A, a panel of B would not be used often enough to repay its copy.
constexpr int64_t few_rows = int64_t{4} * tile_rows;

// A block of B as the tile reads it: panel j begins at data + j * panel, its rows are `row` apart.
struct Panels {
  const real* data;
  int64_t panel, row;
};

// Rows that lie together: some of every panel, then the next ones, so that what is read of a line
// of the cache is read at once.
void copy_rows(Strided b, int64_t depth, int64_t cols, real* panels) {
  constexpr int64_t together = 16;
  for (int64_t first = 0; first < depth; first += together) {
    const int64_t end = std::min(depth, first + together);
    for (int64_t j = 0; j < cols; j += tile_cols) {
      for (int64_t i = first; i < end; ++i) {
        real* to = panels + j * depth + i * tile_cols;
        for (int64_t v = 0; v < tile_cols; v += lanes) {
          const int64_t left = cols - j - v;
          const real* from = b.at(i, j + v);
          store(to + v, left >= lanes ? load(from) : left > 0 ? load_first(from, left) : Vec{});
        }
      }
    }
  }
}

// Columns that lie together: squares of numbers transposed in registers.
void copy_columns(Strided b, int64_t depth, int64_t cols, real* panels) {
  for (int64_t j = 0; j < round_up(cols, tile_cols); j += lanes) {
    real* panel = panels + j / tile_cols * tile_cols * depth + j % tile_cols;
    for (int64_t i = 0; i < depth; i += lanes) {
      const int64_t rows = std::min(lanes, depth - i);
      Vec square[lanes];
      for (int64_t c = 0; c < lanes; ++c) {
        square[c] = j + c >= cols   ? Vec{}
                    : rows == lanes ? load(b.at(i, j + c))
                                    : load_first(b.at(i, j + c), rows);
      }
      transpose(square);
      for (int64_t r = 0; r < rows; ++r) store(panel + (i + r) * tile_cols, square[r]);
    }
  }
}

void copy(Strided b, int64_t depth, int64_t cols, real* panels) {
  (b.col == 1 ? copy_rows : copy_columns)(b, depth, cols, panels);
}

Panels panels_of(Strided b, int64_t m, int64_t depth, int64_t cols, real* scratch) {
  if (b.col == 1 && m < few_rows && cols % tile_cols == 0) return {b.data, tile_cols, b.row};
  copy(b, depth, cols, scratch);
  return {scratch, depth * tile_cols, tile_cols};
}

// Calls body(from, depth) for each block of the inner dimension, as equal as can be.
template <class Body>
void for_depths(int64_t k, Body&& body) {
  const int64_t depths = (k + most_depth - 1) / most_depth;
  for (int64_t block = 0; block < depths; ++block) {
    const int64_t from = k * block / depths;
    body(from, k * (block + 1) / depths - from);
  }
}

// Whether A is read column by column, and its columns compete: they are gone before the next tile
// reads on in them.
bool columns_compete(Strided a) { return a.row == 1 && competes(a.col); }

// The scratch memory for a block of A: none where it is read where it lies.
int64_t left_scratch(ProductSize size, Strided a) {
  return columns_compete(a) ? block_rows * std::min(size.k, most_depth) : 0;
}

// A block of an A whose columns compete, with them beside each other.
Strided copy_left(Strided a, int64_t rows, int64_t depth, real* to) {
  for (int64_t j = 0; j < depth; ++j) {
    map(rows, to + j * block_rows, as_it_is, a.at(0, j));
  }
  return {to, 1, block_rows};
}

// Where a tile or a block of the result goes, and how.
struct Result {
  Sink c;
  int64_t stride;  // between rows
  real scale;
  Finish finish;
  Result at(int64_t row, int64_t col) const {
    return {{c.data + row * stride + col, c.add}, stride, scale, finish.from(col)};
  }
};

// Some numbers of the result: all of a vector's, or the first `count`.
template <class Load, class Store>
void put(const Result& to, int64_t row, int64_t col, Vec sum, Load&& load_some,
         Store&& store_some) {
  real* const at = to.c.data + row * to.stride + col;
  sum = sum * to.scale;
  if (to.c.add) sum = load_some(at) + sum;
  if (to.finish.bias) sum = sum + load_some(to.finish.bias + col);
  if (to.finish.relu) sum = max(Vec{}, sum);
  store_some(at, sum);
}

// The sum over depth of a column of a times a row of the panel, put into the result. A's rows are
// addressed from every third, which leaves the processor's few address registers enough. C's lines
// are asked for at the start: large ones come from memory, and are needed only at the end. B's are
// asked for well before they are needed: the next panel's, in the end. So are A's where its columns
// lie together, each a long way from the last: the next tile's.
template <int rows, int vectors>
void tile(int64_t depth, Strided a, const real* b, int64_t b_row, const Result& to, int64_t cols) {
  constexpr int bases = (rows + 2) / 3;
  constexpr int64_t ahead = 64;
  Vec total[rows][vectors] = {};
  const real* base[bases];
  for (int i = 0; i < bases; ++i) base[i] = a.at(int64_t{3} * i, 0);
  for (int r = 0; r < rows; ++r) {
    for (int v = 0; v < vectors; ++v) __builtin_prefetch(to.c.data + r * to.stride + v * lanes, 1);
  }
  for (int64_t j = 0; j < depth; ++j, b += b_row) {
    Vec right[vectors];
    for (int v = 0; v < vectors; ++v) {
      right[v] = load(b + v * lanes);
      __builtin_prefetch(b + ahead * b_row + v * lanes);
    }
    for (int r = 0; r < rows; ++r) {
      const Vec left = broadcast(base[r / 3][r % 3 * a.row]);
      for (int v = 0; v < vectors; ++v) total[r][v] += left * right[v];
    }
    __builtin_prefetch(base[0] + rows + lanes);
    for (int i = 0; i < bases; ++i) base[i] += a.col;
  }
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

using Tile = void (*)(int64_t, Strided, const real*, int64_t, const Result&, int64_t);

// The tile for a number of rows and of vectors, both counted from 1.
Tile tile_of(int64_t rows, int64_t vectors) {
  static constexpr auto table = []<int... r>(std::integer_sequence<int, r...>) {
    return std::array<std::array<Tile, 2>, tile_rows>{
        {{&tile<r + 1, 1>, &tile<r + 1, tile_vectors>}...}};
  }
  (std::make_integer_sequence<int, tile_rows>());
  return table[static_cast<size_t>(rows - 1)][vectors > 1 ? 1 : 0];
}

// Every tile of a block of C. Tiles have as equal a number of rows as can be: one of very few rows
// would wait for each of its own sums.
void multiply_block(ProductSize size, Strided a, Panels b, const Result& to) {
  const int64_t tiles = (size.m + tile_rows - 1) / tile_rows;
  const int64_t tall = (size.m + tiles - 1) / std::max<int64_t>(1, tiles);
  for (int64_t j = 0; j < size.n; j += tile_cols) {
    const int64_t cols = std::min(tile_cols, size.n - j);
    for (int64_t i = 0; i < size.m; i += tall) {
      tile_of(std::min(tall, size.m - i), (cols + lanes - 1) / lanes)(
          size.k, a.from(i, 0), b.data + j / tile_cols * b.panel, b.row, to.at(i, j), cols);
    }
  }
}

// Every block of C. left_at(row, from, rows, depth) gives a block of A, panels_at(from, depth, col,
// cols) the panels of one of B.
template <class LeftAt, class PanelsAt>
void multiply(ProductSize size, const Result& result, LeftAt&& left_at, PanelsAt&& panels_at) {
  for (int64_t col = 0; col < size.n; col += block_cols()) {
    const int64_t cols = std::min(block_cols(), size.n - col);
    for_depths(size.k, [&](int64_t from, int64_t depth) {
      const Panels panels = panels_at(from, depth, col, cols);
      Result to = result;
      to.c.add |= from > 0;
      if (from + depth < size.k) to.finish = {};
      for (int64_t row = 0; row < size.m; row += block_rows) {
        const int64_t rows = std::min(block_rows, size.m - row);
        multiply_block({rows, cols, depth}, left_at(row, from, rows, depth), panels,
                       to.at(row, col));
      }
    });
  }
}

}  // namespace

void tile_product(ProductSize size, Strided a, const real* b, int64_t b_row, Sink c, real scale,
                  int64_t stride) {
  multiply_block(size, a, {b, tile_cols, b_row}, {c, stride, scale, {}});
}

int64_t block_product_scratch(ProductSize size, Strided a) {
  const int64_t panels = round_up(std::min(size.n, block_cols()), tile_cols);
  return left_scratch(size, a) + panels * std::min(size.k, most_depth);
}

void block_product(ProductSize size, Strided a, Strided b, Sink c, real scale, int64_t stride,
                   real* scratch, Finish finish) {
  const bool copies_left = columns_compete(a);
  real* const panels = scratch + left_scratch(size, a);
  multiply(
      size, {c, stride, scale, finish},
      [&](int64_t row, int64_t from, int64_t rows, int64_t depth) {
        const Strided block = a.from(row, from);
        return copies_left ? copy_left(block, rows, depth, scratch) : block;
      },
      [&](int64_t from, int64_t depth, int64_t col, int64_t cols) {
        return panels_of(b.from(from, col), size.m, depth, cols, panels);
      });
}

PackedMatrix::PackedMatrix(Strided b, int64_t k, int64_t n)
    : padded_cols_(round_up(n, tile_cols)), panels_(k * padded_cols_) {
  for_depths(k, [&](int64_t from, int64_t depth) {
    copy(b.from(from, 0), depth, n, panels_.data() + from * padded_cols_);
  });
}

void block_product(ProductSize size, Strided a, const PackedMatrix& b, int64_t first_col, Sink c,
                   real scale, int64_t stride, Finish finish) {
  multiply(
      size, {c, stride, scale, finish},
      [&](int64_t row, int64_t from, int64_t, int64_t) { return a.from(row, from); },
      [&](int64_t from, int64_t depth, int64_t col, int64_t) {
        return Panels{b.panels(from, depth, first_col + col), depth * tile_cols, tile_cols};
      });
}

}  // namespace calque
