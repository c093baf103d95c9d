// Ops that move numbers: transpose, slice, concatenate and gather. The gradient moves them back.

#include "core/ops.h"
#include "core/simd/vector.h"
#include "core/threads/rows.h"

namespace calque {
namespace {

// to (+)= from, row by row.
void move_rows(const real* from, int64_t from_stride, Sink to, int64_t to_stride, int64_t rows,
               int64_t cols) {
  for_each_row(rows, cols, [&](int64_t r) {
    map_into(cols, to.data + r * to_stride, to.add, as_it_is, from + r * from_stride);
  });
}

// A tensor as [outer, first, middle, second, inner], whose axes `first` and `second` are swapped.
struct Axes {
  int64_t outer = 1, first = 1, middle = 1, second = 1, inner = 1;
};

Axes split(const Shape& shape, int first, int second) {
  Axes axes{.first = shape[first], .second = shape[second]};
  for (int i = 0; i < shape.axes(); ++i) {
    if (i < first) axes.outer *= shape[i];
    if (i > first && i < second) axes.middle *= shape[i];
    if (i > second) axes.inner *= shape[i];
  }
  return axes;
}

// to[o][s][m][f][i] (+)= from[o][f][m][s][i], in tiles that fit in the L1 cache.
void swap(const Axes& a, const real* from, Sink to) {
  constexpr int64_t tile = 32;
  const int64_t tiles = (a.second + tile - 1) / tile;
  const int64_t cost = a.first * tile * a.inner;
  for_each_row(a.outer * a.middle * tiles, cost, [&](int64_t t) {
    const int64_t m = t / tiles % a.middle, o = t / tiles / a.middle;
    const int64_t s0 = t % tiles * tile, s1 = std::min(a.second, s0 + tile);
    for (int64_t f0 = 0; f0 < a.first; f0 += tile) {
      for (int64_t s = s0; s < s1; ++s) {
        for (int64_t f = f0; f < std::min(a.first, f0 + tile); ++f) {
          const real* x = from + (((o * a.first + f) * a.middle + m) * a.second + s) * a.inner;
          real* y = to.data + (((o * a.second + s) * a.middle + m) * a.first + f) * a.inner;
          for (int64_t i = 0; i < a.inner; ++i) y[i] = (to.add ? y[i] : 0) + x[i];
        }
      }
    }
  });
}

Shape with_first(const Shape& shape, int64_t size) {
  std::array<int64_t, Shape::most_axes> sizes{};
  std::ranges::copy(shape.sizes(), sizes.begin());
  sizes[0] = size;
  return Shape(std::span<const int64_t>(sizes.data(), shape.sizes().size()));
}

int64_t row_size(const Shape& shape) { return shape[0] ? shape.elements() / shape[0] : 0; }

}  // namespace

Tensor swap_axes(const Tensor& x, int first, int second) {
  const Shape& shape = x.shape();
  if (first > second) std::swap(first, second);
  require(first >= 0 && second < shape.axes(), "swap_axes: {} has no axes {} and {}", shape, first,
          second);
  if (first == second) return x;
  std::array<int64_t, Shape::most_axes> sizes{};
  std::ranges::copy(shape.sizes(), sizes.begin());
  std::swap(sizes[first], sizes[second]);
  Tensor y(Shape(std::span<const int64_t>(sizes.data(), shape.sizes().size())));
  const Axes axes = split(shape, first, second);
  swap(axes, x.data(), {y.data(), false});
  return record("swap_axes", y, {&x}, [axes, dx = x.gradient()](Gradient& dy) {
    Axes back = axes;
    std::swap(back.first, back.second);
    swap(back, dy.data(), dx.open());
  });
}

Tensor transpose(const Tensor& x) {
  require(x.shape().axes() >= 2, "transpose: {} is not a matrix", x.shape());
  return swap_axes(x, x.shape().axes() - 2, x.shape().axes() - 1);
}

Tensor slice_rows(const Tensor& x, int64_t begin, int64_t end) {
  const Shape& shape = x.shape();
  require(shape.axes() > 0 && 0 <= begin && begin <= end && end <= shape[0],
          "slice_rows: [{}, {}) of {}", begin, end, shape);
  const int64_t width = row_size(shape), count = (end - begin) * width, at = begin * width;
  Tensor y(with_first(shape, end - begin));
  move_rows(x.data() + at, width, {y.data(), false}, width, end - begin, width);
  return record("slice_rows", y, {&x}, [=, dx = x.gradient()](Gradient& dy) {
    move_rows(dy.data(), width, {dx.open_cleared() + at, true}, width, width ? count / width : 0,
              width);
  });
}

Tensor slice_cols(const Tensor& x, int64_t begin, int64_t end) {
  const int64_t rows = x.rows(), cols = x.cols(), width = end - begin;
  require(0 <= begin && begin <= end && end <= cols, "slice_cols: [{}, {}) of {}", begin, end,
          x.shape());
  Tensor y(x.shape().with_cols(width));
  move_rows(x.data() + begin, cols, {y.data(), false}, width, rows, width);
  return record("slice_cols", y, {&x}, [=, dx = x.gradient()](Gradient& dy) {
    move_rows(dy.data(), width, {dx.open_cleared() + begin, true}, cols, rows, width);
  });
}

namespace {

// A part of a concatenation: a matrix, and its position in the result.
struct Part {
  int64_t rows, cols, offset;
  Gradient gradient;
};

Tensor join(const char* op, std::span<const Tensor> parts, const Shape& shape, int64_t stride,
            const std::vector<Part>& places) {
  Tensor y(shape);
  std::vector<const Tensor*> inputs;
  for (size_t i = 0; i < parts.size(); ++i) {
    const Part& to = places[i];
    move_rows(parts[i].data(), to.cols, {y.data() + to.offset, false}, stride, to.rows, to.cols);
    inputs.push_back(&parts[i]);
  }
  if (!recording(inputs)) return y;
  return attach(op, y, 2 * y.size(), [places, stride](Gradient& dy) {
    for (const auto& [rows, cols, offset, gradient] : places) {
      if (gradient) move_rows(dy.data() + offset, stride, gradient.open(), cols, rows, cols);
    }
  });
}

}  // namespace

Tensor concat_rows(std::span<const Tensor> parts) {
  require(!parts.empty(), "concat_rows: nothing to join");
  int64_t rows = 0, offset = 0;
  std::vector<Part> places;
  for (const Tensor& part : parts) {
    const Shape& shape = part.shape();
    require(shape.axes() > 0 && with_first(shape, 0) == with_first(parts[0].shape(), 0),
            "concat_rows: {} below {}", shape, parts[0].shape());
    places.push_back({1, part.size(), offset, part.gradient()});
    offset += part.size();
    rows += shape[0];
  }
  return join("concat_rows", parts, with_first(parts[0].shape(), rows), offset, places);
}

Tensor concat_cols(std::span<const Tensor> parts) {
  require(!parts.empty(), "concat_cols: nothing to join");
  int64_t cols = 0;
  std::vector<Part> places;
  for (const Tensor& part : parts) {
    require(part.shape().with_cols(0) == parts[0].shape().with_cols(0), "concat_cols: {} beside {}",
            part.shape(), parts[0].shape());
    places.push_back({part.rows(), part.cols(), cols, part.gradient()});
    cols += part.cols();
  }
  return join("concat_cols", parts, parts[0].shape().with_cols(cols), cols, places);
}

// The gradients of a repeated row are added in their order.
Tensor gather_rows(const Tensor& x, std::span<const int32_t> rows) {
  require(x.shape().axes() > 0, "gather_rows: {} has no rows", x.shape());
  const int64_t width = row_size(x.shape()), count = static_cast<int64_t>(rows.size());
  for (const int32_t row : rows) {
    require(row >= 0 && row < x.shape()[0], "gather_rows: row {} of {}", row, x.shape());
  }
  Tensor y(with_first(x.shape(), count));
  for_each_row(count, width, [&](int64_t i) {
    std::copy_n(x.data() + rows[i] * width, width, y.data() + i * width);
  });
  return record("gather_rows", y, {&x},
                [width, dx = x.gradient(),
                 rows = std::vector<int32_t>(rows.begin(), rows.end())](Gradient& dy) {
                  real* out = dx.open_cleared();
                  parallel_for(width, 64, [&](int64_t begin, int64_t end) {
                    for (size_t i = 0; i < rows.size(); ++i) {
                      const auto at = static_cast<int64_t>(i) * width;
                      map_into(end - begin, out + rows[i] * width + begin, true, as_it_is,
                               dy.data() + at + begin);
                    }
                  });
                });
}

}  // namespace calque
