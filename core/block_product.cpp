#include "core/block_product.h"

#include <unistd.h>

#include <algorithm>

#include "core/product_tile.h"
#include "core/simd_transpose.h"

namespace calque {
namespace {

using product::multiply_block;
using product::Panels;

// The inner dimension is cut into blocks of so many steps at most: long ones, because the numbers
// of C are read and written again for each. Blocks of A have block_rows rows.
constexpr int64_t most_steps = 512, block_rows = int64_t{8} * tile_rows;

template <class Operand>
int64_t steps_of(int64_t depth) {
  return (depth + Operand::per_step - 1) / Operand::per_step;
}

// The columns of a block of B: half of the second cache for the deepest.
int64_t block_cols() {
  static const int64_t cols = [] {
#ifdef _SC_LEVEL2_CACHE_SIZE
    const int64_t cache = sysconf(_SC_LEVEL2_CACHE_SIZE);  // 0 or -1 where it is not known
#else
    const int64_t cache = 0;
#endif
    constexpr int64_t column = most_steps * static_cast<int64_t>(sizeof(real));
    return std::clamp(round_up(cache / 2 / column, tile_cols), 8 * tile_cols, 16 * tile_cols);
  }();
  return cols;
}

// With fewer rows than this in A, a panel of B would not be used often enough to repay its copy.
constexpr int64_t few_rows = int64_t{4} * tile_rows;

// Rows of B that lie together: some of every panel, then the next ones, so that what is read of a
// line of the cache is read at once.
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

// Columns that lie together: squares of steps transposed in registers.
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

template <class Operand>
Panels panels_of(Strided b, int64_t m, int64_t depth, int64_t cols, real* scratch) {
  const bool as_it_lies = Operand::per_step == 1 && b.col == 1 && cols % tile_cols == 0;
  if (as_it_lies && m < few_rows) return {b.data, tile_cols, b.row};
  copy<Operand>(b, depth, cols, scratch);
  return {scratch, steps_of<Operand>(depth) * tile_cols, tile_cols};
}

// The blocks of the inner dimension, as equal as can be.
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

// Whether A is read column by column, and its columns compete: they are gone before the next tile
// reads on in them.
bool columns_compete(Strided a) { return a.row == 1 && competes(a.col); }

// Whether blocks of A are copied, and what a block takes then: its steps lie beside each other, in
// columns as long as a block has rows, or in rows an odd number of cache lines apart, so that they
// do not compete.
template <class Operand>
bool copies_left(Strided a) {
  return Operand::per_step > 1 || columns_compete(a);
}
int64_t row_of_steps(int64_t steps) { return round_up(steps, cache_line) | cache_line; }
template <class Operand>
int64_t left_scratch(ProductSize size, Strided a) {
  const int64_t steps = std::min(steps_of<Operand>(size.k), most_steps);
  return copies_left<Operand>(a) ? block_rows * row_of_steps(steps) : 0;
}

template <class Operand>
Strided copy_left(Strided a, int64_t rows, int64_t depth, real* to) {
  const int64_t steps = steps_of<Operand>(depth), row = row_of_steps(steps);
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

// Some rows and columns of an operand, for later.
void read_later(ReadAhead& next, Strided m, int64_t rows, int64_t cols) {
  m.col == 1 ? next.then(m.data, rows, cols, m.row) : next.then(m.data, cols, rows, m.col);
}

// Every block of C, column by column of blocks, down the inner dimension, and down the rows.
template <class Operand>
class Blocks {
 public:
  // `b` may be absent: where its panels are there already.
  Blocks(ProductSize size, Strided a, const Strided* b)
      : size_(size), depths_(size.k), a_(a), b_(b) {}

  // left_at(row, from, rows, depth) gives a block of A, panels_at(from, depth, col, cols) the
  // panels of one of B.
  template <class LeftAt, class PanelsAt>
  void multiply(const Destination& result, LeftAt&& left_at, PanelsAt&& panels_at) const {
    for (int64_t col = 0; col < size_.n; col += block_cols()) {
      for (int64_t block = 0; block < depths_.count; ++block) {
        const int64_t from = depths_.begin(block), depth = depths_.depth(block);
        const Panels panels = panels_at(from, depth, col, cols_from(col));
        Destination to = result;
        to.c.add |= block > 0;
        if (block + 1 < depths_.count) to.finish = {};
        for (int64_t row = 0; row < size_.m; row += block_rows) {
          ReadAhead next = after(row, block, col);
          const int64_t rows = rows_from(row);
          multiply_block<Operand>(rows, cols_from(col), steps_of<Operand>(depth),
                                  left_at(row, from, rows, depth), panels, to.at(row, col), next);
        }
      }
    }
  }

 private:
  int64_t rows_from(int64_t row) const { return std::min(block_rows, size_.m - row); }
  int64_t cols_from(int64_t col) const { return std::min(block_cols(), size_.n - col); }

  // What will be read after the block there.
  ReadAhead after(int64_t row, int64_t block, int64_t col) const {
    ReadAhead next;
    row += block_rows;
    if (row >= size_.m) {
      row = 0;
      if (++block == depths_.count) {
        block = 0;
        col += block_cols();
        if (col >= size_.n) return next;
      }
      const int64_t from = depths_.begin(block);
      if (b_) read_later(next, b_->from(from, col), depths_.depth(block), cols_from(col));
    }
    read_later(next, a_.from(row, depths_.begin(block)), rows_from(row), depths_.depth(block));
    return next;
  }

  ProductSize size_;
  Depths<Operand> depths_;
  Strided a_;
  const Strided* b_;
};

// Calls use(Operand()) with the struct for a precision.
template <class Use>
auto with_operand([[maybe_unused]] Precision precision, Use&& use) {
#ifndef CALQUE_DOUBLE
  if (precision == Precision::bfloat16) return use(Bfloat16Pairs());
#endif
  return use(Numbers());
}

}  // namespace

void tile_product(ProductSize size, Strided a, const real* b, int64_t b_row,
                  const Destination& to) {
  ReadAhead nothing;
  multiply_block<Numbers>(size.m, size.n, size.k, a, {b, tile_cols, b_row}, to, nothing);
}

int64_t block_product_scratch(ProductSize size, Strided a, Precision precision) {
  return with_operand(precision, [&]<class Operand>(Operand) {
    const int64_t panels = round_up(std::min(size.n, block_cols()), tile_cols);
    return left_scratch<Operand>(size, a) +
           panels * std::min(steps_of<Operand>(size.k), most_steps);
  });
}

void block_product(ProductSize size, Strided a, Strided b, const Destination& to, real* scratch,
                   Precision precision) {
  with_operand(precision, [&]<class Operand>(Operand) {
    real* const panels = scratch + left_scratch<Operand>(size, a);
    Blocks<Operand>(size, a, &b)
        .multiply(
            to,
            [&](int64_t row, int64_t from, int64_t rows, int64_t depth) {
              const Strided block = a.from(row, from);
              return copies_left<Operand>(a) ? copy_left<Operand>(block, rows, depth, scratch)
                                             : block;
            },
            [&](int64_t from, int64_t depth, int64_t col, int64_t cols) {
              return panels_of<Operand>(b.from(from, col), size.m, depth, cols, panels);
            });
  });
}

PackedMatrix::PackedMatrix(Strided b, int64_t k, int64_t n)
    : padded_cols_(round_up(n, tile_cols)), panels_(k * padded_cols_) {
  const Depths<Numbers> depths(k);
  for (int64_t block = 0; block < depths.count; ++block) {
    const int64_t from = depths.begin(block);
    copy<Numbers>(b.from(from, 0), depths.depth(block), n, panels_.data() + from * padded_cols_);
  }
}

void block_product(ProductSize size, Strided a, const PackedMatrix& b, int64_t first_col,
                   const Destination& to) {
  Blocks<Numbers>(size, a, nullptr)
      .multiply(
          to, [&](int64_t row, int64_t from, int64_t, int64_t) { return a.from(row, from); },
          [&](int64_t from, int64_t depth, int64_t col, int64_t) {
            return Panels{b.panels(from, depth, first_col + col), depth * tile_cols, tile_cols};
          });
}

}  // namespace calque
