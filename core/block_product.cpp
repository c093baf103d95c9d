#include "core/block_product.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/simd.h"
#include "core/simd_transpose.h"

namespace calque {
namespace {

// The tile of C that is kept in registers.
#ifdef __AVX512F__
constexpr int tile_rows = 12, tile_vectors = 2;  // 24 of 32 registers
#else
constexpr int tile_rows = 6, tile_vectors = 1;  // 12 of 16, where a vector takes two
#endif
constexpr int64_t tile_cols = tile_vectors * lanes;

// A panel of B is depth x tile_cols numbers (32 KB: the first cache), a block of B has block_cols
// columns (512 KB: the second), a block of A block_rows rows.
constexpr int64_t most_depth = 256, block_rows = 8 * tile_rows, block_cols = 16 * tile_cols;

// An operand whose columns lie together: some columns of every panel, then the next, so that what
// is read of a line of the cache is read at once.
template <int64_t width>
void copy_columns(Strided from, int64_t count, int64_t depth, real* panels) {
  constexpr int64_t together = 16, whole = (width + lanes - 1) / lanes * lanes;
  for (int64_t first = 0; first < depth; first += together) {
    const int64_t end = std::min(depth, first + together);
    for (int64_t i = 0; i < count; i += width) {
      const int64_t rows = std::min(width, count - i);
      for (int64_t j = first; j < end; ++j) {
        const real* column = from.data + j * from.col + i;
        real* to = panels + i * depth + j * width;
        if (i + whole <= count && j + 1 < depth) {  // what it writes too much, the next overwrites
          for (int64_t v = 0; v < width; v += lanes) store(to + v, load(column + v));
        } else {
          std::fill(std::copy_n(column, rows, to), to + width, real(0));
        }
      }
    }
  }
}

// An operand whose rows lie together: squares of numbers transposed in registers.
template <int64_t width>
void copy_rows(Strided from, int64_t count, int64_t depth, real* panels) {
  for (int64_t i = 0; i < count; i += width) {
    for (int64_t j = 0; j < depth; j += lanes) {
      const int64_t cols = std::min(lanes, depth - j);
      for (int64_t part = 0; part < width; part += lanes) {
        Vec square[lanes];
        for (int64_t r = 0; r < lanes; ++r) {
          const real* row = from.data + (i + part + r) * from.row + j;
          square[r] = part + r >= width || i + part + r >= count ? Vec{}
                      : cols == lanes                            ? load(row)
                                                                 : load_first(row, cols);
        }
        transpose(square);
        real* to = panels + i * depth + j * width + part;
        for (int64_t c = 0; c < cols; ++c) store(to + c * width, square[c]);
      }
    }
  }
}

// Copies `count` rows of the operand, from column 0 to depth, to panels of `width` rows: in a panel
// column follows column, with zeros for the rows that are missing. May write a vector too many.
template <int64_t width>
void copy_to_panels(Strided from, int64_t count, int64_t depth, real* panels) {
  if (from.row == 1) {
    copy_columns<width>(from, count, depth, panels);
  } else {
    copy_rows<width>(from, count, depth, panels);
  }
}

// c (rows x tile) = or += scale times the sum over depth of a column of A's panel times a row of
// B's.
template <int rows, int vectors>
void tile(int64_t depth, const real* a, const real* b, Sink c, real scale, int64_t stride,
          int64_t cols) {
  Vec total[rows][vectors] = {};
  for (int64_t j = 0; j < depth; ++j, a += tile_rows, b += tile_cols) {
    Vec right[vectors];
    for (int v = 0; v < vectors; ++v) right[v] = load(b + v * lanes);
    for (int r = 0; r < rows; ++r) {
      const Vec left = broadcast(a[r]);
      for (int v = 0; v < vectors; ++v) total[r][v] += left * right[v];
    }
  }
  for (int r = 0; r < rows; ++r) {
    for (int v = 0; v < vectors; ++v) {
      real* to = c.data + r * stride + v * lanes;
      const int64_t left = cols - v * lanes;
      Vec sum = total[r][v] * scale;
      if (left >= lanes) {
        store(to, c.add ? load(to) + sum : sum);
      } else if (left > 0) {
        store_first(to, c.add ? load_first(to, left) + sum : sum, left);
      }
    }
  }
}

using Tile = void (*)(int64_t, const real*, const real*, Sink, real, int64_t, int64_t);

// The tile for a number of rows and of vectors, both counted from 1.
Tile tile_of(int64_t rows, int64_t vectors) {
  static constexpr auto table = []<int... r>(std::integer_sequence<int, r...>) {
    return std::array<std::array<Tile, 2>, tile_rows>{
        {{&tile<r + 1, 1>, &tile<r + 1, tile_vectors>}...}};
  }
  (std::make_integer_sequence<int, tile_rows>());
  return table[static_cast<size_t>(rows - 1)][vectors > 1 ? 1 : 0];
}

// One block of A, one of B: every tile of the block of C.
void multiply_panels(int64_t m, int64_t n, int64_t depth, const real* a, const real* b, Sink c,
                     real scale, int64_t stride) {
  for (int64_t j = 0; j < n; j += tile_cols) {
    const int64_t cols = std::min(tile_cols, n - j);
    for (int64_t i = 0; i < m; i += tile_rows) {
      tile_of(std::min<int64_t>(tile_rows, m - i), (cols + lanes - 1) / lanes)(
          depth, a + i * depth, b + j * depth, {c.data + i * stride + j, c.add}, scale, stride,
          cols);
    }
  }
}

int64_t round_up(int64_t size, int64_t to) { return (size + to - 1) / to * to; }

// How the inner dimension is cut, and what the panels of a block take.
struct Plan {
  explicit Plan(ProductSize size)
      : depths((size.k + most_depth - 1) / most_depth),
        deepest((size.k + depths - 1) / std::max<int64_t>(1, depths)),
        a_panels(
            round_up(round_up(std::min(size.m, block_rows), tile_rows) * deepest + lanes, lanes)),
        b_panels(round_up(std::min(size.n, block_cols), tile_cols) * deepest + lanes) {}
  int64_t depths;  // blocks of the inner dimension
  int64_t deepest;
  int64_t a_panels, b_panels;  // numbers, with a vector too many at the end
};

}  // namespace

int64_t block_product_scratch(ProductSize size) {
  const Plan plan(size);
  return plan.a_panels + plan.b_panels;
}

void block_product(ProductSize size, Strided a, Strided b, Sink c, real scale, int64_t stride,
                   real* scratch) {
  const auto [m, n, k] = size;
  const Plan plan(size);
  real* const a_panels = scratch;
  real* const b_panels = scratch + plan.a_panels;
  for (int64_t col = 0; col < n; col += block_cols) {
    const int64_t cols = std::min(block_cols, n - col);
    for (int64_t block = 0; block < plan.depths; ++block) {
      const int64_t from = k * block / plan.depths, depth = k * (block + 1) / plan.depths - from;
      copy_to_panels<tile_cols>({b.data + from * b.row + col * b.col, b.col, b.row}, cols, depth,
                                b_panels);
      for (int64_t row = 0; row < m; row += block_rows) {
        const int64_t rows = std::min(block_rows, m - row);
        copy_to_panels<tile_rows>({a.data + row * a.row + from * a.col, a.row, a.col}, rows, depth,
                                  a_panels);
        multiply_panels(rows, cols, depth, a_panels, b_panels,
                        {c.data + row * stride + col, c.add || block > 0}, scale, stride);
      }
    }
  }
}

}  // namespace calque
