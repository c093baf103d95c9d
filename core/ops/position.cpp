// Positions of tokens: a table that is added to the vectors of tokens, or rotary positions, which
// rotate pairs of their numbers by an angle proportional to the position.

#include "core/ops.h"
#include "core/simd/vector.h"
#include "core/threads/rows.h"

namespace calque {
namespace {

// The position of every token; the first token of sentence i has the position starts[i].
std::vector<int32_t> token_positions(const char* op, const Tensor& x, const Segments& segments,
                                     std::span<const int32_t> starts) {
  require(x.rows() == segments.tokens(), "{}: x is {} for {} tokens", op, x.shape(),
          segments.tokens());
  require(starts.empty() || static_cast<int64_t>(starts.size()) == segments.count(),
          "{}: {} starts for {} sentences", op, starts.size(), segments.count());
  std::vector<int32_t> positions;
  positions.reserve(static_cast<size_t>(x.rows()));
  for (int64_t i = 0; i < segments.count(); ++i) {
    const int32_t start = starts.empty() ? 0 : starts[i];
    require(start >= 0 && start <= std::numeric_limits<int32_t>::max() - segments.length(i),
            "{}: sentence {} of {} tokens begins at position {}", op, i, segments.length(i), start);
    for (int32_t t = 0; t < segments.length(i); ++t) positions.push_back(start + t);
  }
  return positions;
}

// The cosines and sines for the positions from `first` to the largest: row p - first, column k has
// the angle p frequencies[k].
struct Angles {
  int32_t first = 0;
  Values cosine, sine;
};

Angles angles_of(const std::vector<int32_t>& positions, std::span<const double> frequencies) {
  const int64_t half = std::ssize(frequencies);
  if (positions.empty()) return {0, Values(0), Values(0)};
  const auto [least, most] = std::ranges::minmax(positions);
  const int64_t rows = int64_t{most} - least + 1;
  const Angles angles{least, Values(rows * half), Values(rows * half)};
  for_each_row(rows, half * 32, [&](int64_t row) {
    for (int64_t k = 0; k < half; ++k) {
      const double angle = static_cast<double>(angles.first + row) * frequencies[k];
      angles.cosine.data()[row * half + k] = static_cast<real>(std::cos(angle));
      angles.sine.data()[row * half + k] = static_cast<real>(std::sin(angle));
    }
  });
  return angles;
}

// In the heads of columns [begin, end), rotates the pairs by `direction` times their angle. Copies
// the other columns.
struct Turn {
  int64_t rows, cols, begin, end, head_size, half;
  std::vector<int32_t> positions;
  Angles angles;

  void apply(const real* from, Sink to, real direction) const {
    const auto first_of_pair = [=](Vec a, Vec b, Vec co, Vec si) {
      return a * co - direction * (b * si);
    };
    const auto second_of_pair = [=](Vec a, Vec b, Vec co, Vec si) {
      return b * co + direction * (a * si);
    };
    for_each_row(rows, cols * 2, [&](int64_t r) {
      const real* x = from + r * cols;
      real* y = to.data + r * cols;
      map_into(begin, y, to.add, as_it_is, x);
      map_into(cols - end, y + end, to.add, as_it_is, x + end);
      const int64_t row = positions[r] - angles.first;
      const real* c = angles.cosine.data() + row * half;
      const real* s = angles.sine.data() + row * half;
      for (int64_t h = begin; h < end; h += head_size) {
        map_into(half, y + h, to.add, first_of_pair, x + h, x + h + half, c, s);
        map_into(half, y + h + half, to.add, second_of_pair, x + h, x + h + half, c, s);
        const int64_t rest = h + 2 * half;
        map_into(h + head_size - rest, y + rest, to.add, as_it_is, x + rest);
      }
    });
  }
};

}  // namespace

Tensor add_positions(const Tensor& x, const Tensor& table, const Segments& segments,
                     std::span<const int32_t> starts) {
  const int64_t rows = x.rows(), cols = x.cols();
  require(table.shape().axes() == 2 && table.cols() == cols,
          "add_positions: x is {} but the table is {}", x.shape(), table.shape());
  std::vector<int32_t> positions = token_positions("add_positions", x, segments, starts);
  for (const int32_t p : positions) {
    require(p >= 0 && p < table.rows(), "add_positions: position {} is not in a table of {}", p,
            table.shape());
  }
  Tensor y(x.shape());
  const auto plus = [](Vec u, Vec v) { return u + v; };
  for_each_row(rows, cols, [&](int64_t r) {
    map(cols, y.data() + r * cols, plus, x.data() + r * cols, table.data() + positions[r] * cols);
  });
  return record("add_positions", y, {&x, &table},
                [=, positions = std::move(positions), dx = x.gradient(),
                 dtable = table.gradient()](Gradient& dy) {
                  if (dtable) {  // by columns, so that tokens are added in their order
                    real* out = dtable.open_cleared();
                    parallel_for(cols, 64, [&](int64_t begin, int64_t end) {
                      for (int64_t r = 0; r < rows; ++r) {
                        map_into(end - begin, out + positions[r] * cols + begin, true, as_it_is,
                                 dy.data() + r * cols + begin);
                      }
                    });
                  }
                  if (dx) dx.accept(dy);
                });
}

Tensor rotary(const Tensor& x, const Segments& segments, int64_t begin, int64_t end,
              int64_t head_size, std::span<const double> frequencies,
              std::span<const int32_t> starts) {
  const int64_t half = std::ssize(frequencies);
  require(head_size > 0 && 0 <= begin && begin <= end && end <= x.cols() &&
              (end - begin) % head_size == 0,
          "rotary: columns [{}, {}) of {} in heads of {}", begin, end, x.shape(), head_size);
  require(half > 0 && 2 * half <= head_size, "rotary: {} pairs in heads of {} numbers", half,
          head_size);
  std::vector<int32_t> positions = token_positions("rotary", x, segments, starts);
  Angles angles = angles_of(positions, frequencies);
  Turn turn{x.rows(),         x.cols(), begin, end, head_size, half, std::move(positions),
            std::move(angles)};
  Tensor y(x.shape());
  turn.apply(x.data(), {y.data(), false}, 1);
  return record("rotary", y, {&x}, [turn = std::move(turn), dx = x.gradient()](Gradient& dy) {
    turn.apply(dy.data(), dx.open(), -1);
  });
}

}  // namespace calque
