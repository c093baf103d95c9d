#include "core/products/compact/matrix.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "core/error.h"
#include "core/half_precision.h"
#include "core/products/compact/forms.h"
#include "core/simd/folds.h"
#include "core/threads/parallel.h"
#include "core/threads/rows.h"

namespace calque {

CompactMatrix::CompactMatrix(Precision form, int64_t inner, int64_t cols, bool flipped)
    : form_(form),
      inner_(inner),
      cols_(cols),
      lines_(round_up(inner, block)),
      flipped_(flipped),
      numbers_(panels() * panel_bytes()),
      scales_(has_scales() ? panels() * lines_ / block * panel_cols : 0) {
  require(is_compact(form), "CompactMatrix: the form is {}", name_of(inference_precisions, form));
  const int64_t bytes = panel_bytes();
  const int64_t scales = scales_.size() / std::max<int64_t>(1, panels());
  for_each_row(panels(), bytes, [&](int64_t panel) {
    std::fill_n(numbers_.data() + panel * bytes, bytes, std::byte{0});
    std::fill_n(scales_.data() + panel * scales, scales, real(0));
  });
}

// Numbers of a column, from a line that begins a block.
void CompactMatrix::put_block(int64_t line, int64_t col, std::span<const float> numbers) {
  std::byte* const to = numbers_.data() + place(line, col);
  if (form_ == Precision::bfloat16) {
    auto* const halves = reinterpret_cast<uint16_t*>(to);
    for (size_t i = 0; i < numbers.size(); ++i) halves[i * panel_cols] = to_bf16(numbers[i]);
    return;
  }
  std::array<int8_t, block> integers{};
  const auto round = form_ == Precision::q8_0 ? keep_in_q8_0 : fit_to_q4_0;
  scales_[scale_place(line, col)] = static_cast<real>(round(numbers, integers.data()));
  if (form_ == Precision::q8_0) {
    for (size_t i = 0; i < numbers.size(); ++i) to[i * panel_cols] = std::byte(integers[i]);
    return;
  }
  for (size_t i = 0; i < numbers.size(); i += 2) {
    to[i / 2 * panel_cols] = std::byte((integers[i] & 15) | (integers[i + 1] & 15) << 4);
  }
}

void CompactMatrix::require_blocks(int64_t first, int64_t count) const {
  require(
      first % block == 0 && (count % block == 0 || first + count == (flipped_ ? cols_ : inner_)),
      "CompactMatrix: rows {} to {}", first, first + count);
}

void CompactMatrix::put_rows(int64_t first, int64_t count, const real* rows) {
  const int64_t length = flipped_ ? inner_ : cols_;
  require_blocks(first, count);
  const int64_t columns = flipped_ ? count : cols_, depth = flipped_ ? inner_ : count;
  for_each_row(columns, depth * 4, [&](int64_t c) {
    std::array<float, block> numbers;
    for (int64_t line = 0; line < depth; line += block) {
      const auto size = std::min(block, depth - line);
      const real* from = flipped_ ? rows + c * length + line : rows + line * length + c;
      for (int64_t i = 0; i < size; ++i) {
        numbers[static_cast<size_t>(i)] = static_cast<float>(from[flipped_ ? i : i * length]);
      }
      put_block(flipped_ ? line : first + line, flipped_ ? first + c : c,
                std::span(numbers).first(static_cast<size_t>(size)));
    }
  });
}

int CompactMatrix::integer(int64_t line, int64_t col) const {
  const auto byte = std::to_integer<int>(numbers_[place(line, col)]);
  const int sign = form_ == Precision::q8_0 ? 128 : 8;
  const int bits = form_ == Precision::q8_0 ? byte : line % 2 == 1 ? byte >> 4 : byte & 15;
  return (bits ^ sign) - sign;
}

real CompactMatrix::number(int64_t line, int64_t col) const {
  if (form_ == Precision::bfloat16) {
    uint16_t half = 0;
    std::memcpy(&half, numbers_.data() + place(line, col), sizeof half);
    return static_cast<real>(from_bf16(half));
  }
  return static_cast<real>(integer(line, col)) * scale(line / block, col);
}

namespace {

// Vectors of adjacent columns, each `panel_cols` numbers after the one before, with the scales of
// their blocks. The first line is number `line`.
template <class Form>
struct Lines {
  Vec operator[](int64_t i) const {
    const Vec numbers = Form::load(Form::at(column, line + i), (line + i) % 2 == 1);
    if constexpr (!Form::scaled) return numbers;
    return numbers * load(scales + (line + i) / CompactMatrix::block * CompactMatrix::panel_cols);
  }
  const typename Form::Number* column;
  const real* scales;
  int64_t line;
};

template <class Form>
Lines<Form> lines_at(const CompactMatrix& m, int64_t line, int64_t col) {
  const int64_t panel = col / CompactMatrix::panel_cols, first = col % CompactMatrix::panel_cols;
  return {m.panel<typename Form::Number>(panel) + first,
          Form::scaled ? m.scales(panel) + first : nullptr, line};
}

template <class Form>
void expand_lines(const CompactMatrix& m, int64_t from, int64_t depth, int64_t col, int64_t count,
                  real* to) {
  for (int64_t j = 0; j < count; j += lanes) {
    const Lines<Form> lines = lines_at<Form>(m, from, col + j);
    for (int64_t i = 0; i < depth; ++i) store(to + i * count + j, lines[i]);
  }
}

// Transposes squares in registers. They begin at multiples of `lanes`, so those at the ends may
// have rows that are not wanted.
template <class Form>
void expand_columns(const CompactMatrix& m, int64_t from, int64_t depth, int64_t col, int64_t count,
                    real* to) {
  const int64_t end = from + depth;
  for (int64_t j = 0; j < count; j += lanes) {
    for (int64_t first = from / lanes * lanes; first < end; first += lanes) {
      const Lines<Form> lines = lines_at<Form>(m, col + j, first);
      Vec square[lanes];
      for (int64_t c = 0; c < lanes; ++c) square[c] = lines[c];
      transpose(square);
      const int64_t last = std::min(lanes, end - first);
      for (int64_t r = std::max<int64_t>(0, from - first); r < last; ++r) {
        store(to + (first + r - from) * count + j, square[r]);
      }
    }
  }
}

}  // namespace

void CompactMatrix::expand(bool transposed, int64_t from, int64_t depth, int64_t col, int64_t count,
                           real* to) const {
  compact::with_form(form_, [&]<class Form>(Form) {
    (transposed ? expand_columns<Form> : expand_lines<Form>)(*this, from, depth, col, count, to);
  });
}

void CompactMatrix::copy_column(int64_t col, real* to) const {
  for (int64_t i = 0; i < inner_; ++i) to[i] = number(i, col);
}

void CompactMatrix::copy_rows(int64_t first, int64_t count, real* to) const {
  for_each_row(count, flipped_ ? inner_ : cols_, [&](int64_t r) {
    if (flipped_) return copy_column(first + r, to + r * inner_);
    for (int64_t c = 0; c < cols_; ++c) to[r * cols_ + c] = number(first + r, c);
  });
}

void CompactMatrix::copy_numbers(int64_t first, int64_t count, std::byte* to) const {
  const int64_t length = flipped_ ? inner_ : cols_;
  for_each_row(count, length, [&](int64_t r) {
    std::byte* const row = to + r * row_bytes();
    std::fill_n(row, row_bytes(), std::byte{0});
    for (int64_t i = 0; i < length; ++i) {
      const int64_t line = flipped_ ? i : first + r, col = flipped_ ? first + r : i;
      if (form_ == Precision::bfloat16) {
        std::copy_n(numbers_.data() + place(line, col), 2, row + 2 * i);
      } else if (form_ == Precision::q8_0) {
        row[i] = std::byte(integer(line, col));
      } else {
        row[i / 2] |= std::byte((integer(line, col) & 15) << (i % 2 * 4));
      }
    }
  });
}

namespace {

// Numbers of a panel from a part of a matrix of the same numbers, whose rows are its lines or, if
// `flipped`, its columns.
struct Tile {
  int64_t lines, cols, row_bytes;
  bool flipped;
};

template <class Number>
void put_tile(const Tile& tile, const std::byte* from, std::byte* to) {
  constexpr auto size = static_cast<int64_t>(sizeof(Number));
  for (int64_t line = 0; line < tile.lines; ++line, to += CompactMatrix::panel_cols * size) {
    if (!tile.flipped) {
      std::memcpy(to, from + line * tile.row_bytes, static_cast<size_t>(tile.cols * size));
      continue;
    }
    for (int64_t c = 0; c < tile.cols; ++c) {
      std::memcpy(to + c * size, from + c * tile.row_bytes + line * size, sizeof(Number));
    }
  }
}

// Two numbers of a row of `from` share a byte, and so do two lines of `to`.
void put_halves(const Tile& tile, const std::byte* from, std::byte* to) {
  constexpr std::byte lower{15};
  for (int64_t line = 0; line < tile.lines; line += 2, to += CompactMatrix::panel_cols) {
    const bool both = line + 1 < tile.lines;
    for (int64_t c = 0; c < tile.cols; ++c) {
      if (tile.flipped) {
        const std::byte halves = from[c * tile.row_bytes + line / 2];
        to[c] = both ? halves : halves & lower;
        continue;
      }
      const std::byte* const at = from + line * tile.row_bytes + c / 2;
      const int64_t shift = c % 2 * 4;
      const std::byte next = both ? at[tile.row_bytes] >> shift & lower : std::byte{0};
      to[c] = (at[0] >> shift & lower) | next << 4;
    }
  }
}

}  // namespace

void CompactMatrix::put_numbers(int64_t first, int64_t count, const std::byte* rows,
                                const real* scales) {
  require_blocks(first, count);
  const auto put = form_ == Precision::bfloat16 ? put_tile<uint16_t>
                   : form_ == Precision::q8_0   ? put_tile<uint8_t>
                                                : put_halves;
  const int64_t first_line = flipped_ ? 0 : first, end_line = flipped_ ? inner_ : first + count;
  const int64_t first_col = flipped_ ? first : 0, end_col = flipped_ ? first + count : cols_;
  const int64_t blocks = (end_line - first_line + block - 1) / block;
  const int64_t panel = first_col / panel_cols;
  const int64_t tiles = ((end_col + panel_cols - 1) / panel_cols - panel) * blocks;
  for_each_row(tiles, block * panel_cols, [&](int64_t t) {
    const int64_t line = first_line + t % blocks * block;
    const int64_t begin = (panel + t / blocks) * panel_cols, col = std::max(first_col, begin);
    const int64_t end = std::min(end_col, begin + panel_cols);
    const Tile tile{std::min(block, end_line - line), end - col, row_bytes(), flipped_};
    const int64_t row = (flipped_ ? col : line) - first, along = flipped_ ? line : col;
    put(tile, rows + row * row_bytes() + along * bits() / 8, numbers_.data() + place(line, col));
    for (int64_t c = col; has_scales() && c < end; ++c) {
      scales_[scale_place(line, c)] = flipped_
                                          ? scales[(c - first) * (lines_ / block) + line / block]
                                          : scales[row / block * cols_ + c];
    }
  });
}

std::vector<int64_t> CompactMatrix::scale_shape() const {
  const int64_t blocks = lines_ / block;
  return flipped_ ? std::vector{cols_, blocks} : std::vector{blocks, cols_};
}

std::vector<real> CompactMatrix::scales_by_rows() const {
  std::vector<real> result;
  if (!has_scales()) return result;
  const std::vector<int64_t> shape = scale_shape();
  for (int64_t row = 0; row < shape[0]; ++row) {
    for (int64_t i = 0; i < shape[1]; ++i) {
      result.push_back(flipped_ ? scale(i, row) : scale(row, i));
    }
  }
  return result;
}

}  // namespace calque
