#pragma once
// The loops of a product over blocks, for any type of operands (core/products/tile.h). A file that
// is compiled for more instructions than the others uses them with a type of its own.

#include <unistd.h>

#include <algorithm>

#include "core/products/block_product.h"
#include "core/products/compact/matrix.h"
#include "core/products/tile.h"
#include "core/simd/folds.h"

namespace calque::product {

// The maximum number of steps of a block of the inner dimension. Blocks are long because each block
// reads and writes C again. Blocks of A have block_rows rows.
constexpr int64_t most_steps = 512, block_rows = int64_t{8} * tile_rows;

template <class Operand>
int64_t steps_of(int64_t depth) {
  return round_up((depth + Operand::per_step - 1) / Operand::per_step, Operand::steps_together);
}

// The columns of a block of B: 8 to 16 tiles, so that the block takes about half of the L2 cache.
inline int64_t block_cols() {
  static const int64_t cols = [] {
#ifdef _SC_LEVEL2_CACHE_SIZE
    const int64_t cache = sysconf(_SC_LEVEL2_CACHE_SIZE);  // 0 or -1 if unknown
#else
    const int64_t cache = 0;
#endif
    constexpr int64_t column = most_steps * static_cast<int64_t>(sizeof(real));
    return std::clamp(round_up(cache / 2 / column, tile_cols), 8 * tile_cols, 16 * tile_cols);
  }();
  return cols;
}

// Copies a B with contiguous rows: `together` steps into every panel, then the next ones, to read
// each cache line once.
template <class Operand>
void copy_rows(Strided b, int64_t depth, int64_t cols, real* panels) {
  constexpr int64_t together = 16;
  const int64_t steps = steps_of<Operand>(depth);
  for (int64_t first = 0; first < steps; first += together) {
    const int64_t end = std::min(steps, first + together);
    for (int64_t j = 0; j < cols; j += tile_cols) {
      for (int64_t step = first; step < end; ++step) {
        const int64_t i = step * Operand::per_step;
        real* to = panels + j * steps + step * tile_cols;
        for (int64_t v = 0; v < tile_cols; v += lanes) {
          store(to + v, Operand::across(b.at(i, j + v), b.row, depth - i, cols - j - v));
        }
      }
    }
  }
}

// Copies a B with contiguous columns: transposes squares of steps in registers.
template <class Operand>
void copy_columns(Strided b, int64_t depth, int64_t cols, real* panels) {
  const int64_t steps = steps_of<Operand>(depth);
  for (int64_t j = 0; j < round_up(cols, tile_cols); j += lanes) {
    real* panel = panels + j / tile_cols * tile_cols * steps + j % tile_cols;
    for (int64_t step = 0; step < steps; step += lanes) {
      const int64_t i = step * Operand::per_step, rows = std::min(lanes, steps - step);
      Vec square[lanes];
      for (int64_t c = 0; c < lanes; ++c) {
        square[c] = j + c < cols ? Operand::along(b.at(i, j + c), depth - i) : Vec{};
      }
      transpose(square);
      for (int64_t r = 0; r < rows; ++r) store(panel + (step + r) * tile_cols, square[r]);
    }
  }
}

template <class Operand>
void copy(Strided b, int64_t depth, int64_t cols, real* panels) {
  (b.col == 1 ? copy_rows<Operand> : copy_columns<Operand>)(b, depth, cols, panels);
}

// Copies rows [from, from + depth) of a compact B. Operands that are not plain numbers are made of
// floats that stay in the L1 cache.
template <class Operand>
void copy(const CompactMatrix& b, bool transposed, int64_t from, int64_t depth, int64_t col,
          int64_t cols, real* panels) {
  constexpr int64_t together = 16 * Operand::per_step;
  static_assert(16 % Operand::steps_together == 0 && CompactMatrix::block % tile_cols == 0);
  const int64_t steps = steps_of<Operand>(depth);
  for (int64_t j = 0; j < cols; j += tile_cols, panels += steps * tile_cols) {
    if constexpr (std::is_same_v<Operand, Numbers>) {
      b.expand(transposed, from, depth, col + j, tile_cols, panels);
    } else {
      alignas(64) std::array<real, together * tile_cols> floats;
      for (int64_t i = 0; i < depth; i += together) {
        const int64_t count = std::min(together, depth - i);
        b.expand(transposed, from + i, count, col + j, tile_cols, floats.data());
        copy_rows<Operand>({floats.data(), tile_cols, 1}, count, tile_cols,
                           panels + i / Operand::per_step * tile_cols);
      }
    }
  }
}

// The blocks of the inner dimension, of nearly equal depth.
template <class Operand>
struct Depths {
  explicit Depths(int64_t inner)
      : k(inner), steps(steps_of<Operand>(inner)), count((steps + most_steps - 1) / most_steps) {}
  int64_t begin(int64_t block) const {
    return std::min(k, steps * block / count * Operand::per_step);
  }
  int64_t depth(int64_t block) const { return begin(block + 1) - begin(block); }
  int64_t k, steps, count;
};

// Blocks of A are copied in bfloat16, or if A is read by columns that conflict in the cache: their
// lines would be evicted before the next tile reads them. The copy reduces the time of the weight
// gradient of a layer with 2,048 inputs to 54%. It has columns of block_rows steps, or rows an odd
// number of cache lines apart.
template <class Operand>
bool copies_left(Strided a) {
  return Operand::per_step > 1 || (a.row == 1 && conflicts(a.col));
}
inline int64_t row_of_steps(int64_t steps) { return round_up(steps, cache_line) | cache_line; }
template <class Operand>
int64_t left_scratch(ProductSize size, Strided a) {
  const int64_t steps = std::min(steps_of<Operand>(size.k), most_steps);
  return copies_left<Operand>(a) ? block_rows * row_of_steps(steps) : 0;
}

// Copies an A with contiguous columns to rows of steps: transposes squares of steps in registers.
template <class Operand>
void copy_left_in_rows(Strided a, int64_t rows, int64_t depth, real* to, int64_t row) {
  const int64_t steps = steps_of<Operand>(depth);
  for (int64_t i = 0; i < rows; i += lanes) {
    for (int64_t step = 0; step < steps; step += lanes) {
      Vec square[lanes];
      for (int64_t s = 0; s < lanes; ++s) {
        const int64_t j = (step + s) * Operand::per_step;
        square[s] = Operand::across(a.at(i, j), a.col, depth - j, rows - i);
      }
      transpose(square);
      for (int64_t r = 0; r < lanes; ++r) store(to + (i + r) * row + step, square[r]);
    }
  }
}

template <class Operand>
Strided copy_left(Strided a, int64_t rows, int64_t depth, real* to) {
  const int64_t steps = steps_of<Operand>(depth), row = row_of_steps(steps);
  if (a.row == 1 && Operand::left_in_rows) {
    copy_left_in_rows<Operand>(a, rows, depth, to, row);
    return {to, row, 1};
  }
  if (a.row == 1) {
    for (int64_t step = 0; step < steps; ++step) {
      const int64_t j = step * Operand::per_step;
      for (int64_t i = 0; i < rows; i += lanes) {
        store(to + step * block_rows + i, Operand::across(a.at(i, j), a.col, depth - j, rows - i));
      }
    }
    return {to, 1, block_rows};
  }
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t step = 0; step < steps; step += lanes) {
      const int64_t j = step * Operand::per_step;
      store(to + i * row + step, Operand::along(a.at(i, j), depth - j));
    }
  }
  return {to, row, 1};
}

inline void prefetch_part(Prefetch& next, Strided m, int64_t rows, int64_t cols) {
  m.col == 1 ? next.add(m.data, rows, cols, m.row) : next.add(m.data, cols, rows, m.col);
}

// The loops of a product over blocks of columns, of the inner dimension, and of rows.
template <class Operand>
class BlockLoops {
 public:
  BlockLoops(ProductSize size, Strided a, const RightSide& right, real* scratch)
      : size_(size), depths_(size.k), a_(a), right_(right), scratch_(scratch) {}

  void multiply(const Destination& result) const {
    for (int64_t col = 0; col < size_.n; col += block_cols()) {
      for (int64_t block = 0; block < depths_.count; ++block) {
        const int64_t from = depths_.begin(block), depth = depths_.depth(block);
        const Panels panels = panels_at(from, depth, col);
        Destination to = result;
        to.c.add |= block > 0;
        if (block + 1 < depths_.count) to.finish = {};
        for (int64_t row = 0; row < size_.m; row += block_rows) {
          Prefetch next = after(row, block, col);
          const int64_t rows = rows_from(row);
          multiply(rows, cols_from(col), steps_of<Operand>(depth), left_at(row, from, rows, depth),
                   panels, to.at(row, col), next);
        }
      }
    }
  }

 private:
  static void multiply(int64_t m, int64_t n, int64_t steps, Strided a, Panels b,
                       const Destination& to, [[maybe_unused]] Prefetch& later) {
    if constexpr (Operand::left_in_rows) {
      Operand::multiply(m, n, steps, a, b, to);
    } else {
      multiply_block<Operand>(m, n, steps, a, b, to, later);
    }
  }

  int64_t rows_from(int64_t row) const { return std::min(block_rows, size_.m - row); }
  int64_t cols_from(int64_t col) const { return std::min(block_cols(), size_.n - col); }

  Panels panels_at(int64_t from, int64_t depth, int64_t col) const {
    if (right_.packed) {
      return {right_.packed->panels(from, depth, right_.first_col + col), depth * tile_cols,
              tile_cols};
    }
    real* const panels = scratch_ + left_scratch<Operand>(size_, a_);
    if (right_.compact) {
      copy<Operand>(*right_.compact, right_.transposed, from, depth, right_.first_col + col,
                    cols_from(col), panels);
    } else {
      copy<Operand>(right_.b.from(from, col), depth, cols_from(col), panels);
    }
    return {panels, steps_of<Operand>(depth) * tile_cols, tile_cols};
  }

  Strided left_at(int64_t row, int64_t from, int64_t rows, int64_t depth) const {
    const Strided left = a_.from(row, from);
    const bool copies = scratch_ && copies_left<Operand>(a_);
    return copies ? copy_left<Operand>(left, rows, depth, scratch_) : left;
  }

  // Prefetches the operands of the next block.
  Prefetch after(int64_t row, int64_t block, int64_t col) const {
    Prefetch next;
    row += block_rows;
    if (row >= size_.m) {
      row = 0;
      if (++block == depths_.count) {
        block = 0;
        col += block_cols();
        if (col >= size_.n) return next;
      }
      if (right_.b.data) {
        prefetch_part(next, right_.b.from(depths_.begin(block), col), depths_.depth(block),
                      cols_from(col));
      }
    }
    prefetch_part(next, a_.from(row, depths_.begin(block)), rows_from(row), depths_.depth(block));
    return next;
  }

  ProductSize size_;
  Depths<Operand> depths_;
  Strided a_;
  RightSide right_;
  real* scratch_;  // nullptr: nothing is copied
};

// block_product_scratch() and block_product() for a type of operands.
struct BlockProduct {
  int64_t (*scratch)(ProductSize size, Strided a);
  void (*multiply)(ProductSize size, Strided a, const RightSide& right, const Destination& to,
                   real* scratch);
};

template <class Operand>
constexpr BlockProduct block_product_of{
    [](ProductSize size, Strided a) {
      const int64_t panels = round_up(std::min(size.n, block_cols()), tile_cols);
      return left_scratch<Operand>(size, a) +
             panels * std::min(steps_of<Operand>(size.k), most_steps);
    },
    [](ProductSize size, Strided a, const RightSide& right, const Destination& to, real* scratch) {
      BlockLoops<Operand>(size, a, right, scratch).multiply(to);
    }};

}  // namespace calque::product
