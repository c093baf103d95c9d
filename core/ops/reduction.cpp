// Sums, means and maxima. A sum is taken in the lanes of vectors over parts of fixed size, and the
// parts are added in double and in order; the sum of a single row has one part.

#include "core/ops.h"
#include "core/ops/row_sums.h"
#include "core/simd/vector.h"
#include "core/threads/rows.h"

namespace calque {
namespace {

constexpr int64_t chunk = 16384;

double total(const real* x, int64_t size) {
  return parallel_reduce(
      size, chunk, 0.0,
      [&](int64_t b, int64_t e) {
        double part = 0;
        for (int64_t i = b; i < e; i += 1024) {
          part += sum(sum_lanes(std::min<int64_t>(1024, e - i), as_it_is, x + i));
        }
        return part;
      },
      std::plus<double>());
}

// dx (+)= value everywhere.
void spread(Sink dx, int64_t size, real value) {
  parallel_for(size, long_chunk(size, chunk), [&](int64_t b, int64_t e) {
    for (int64_t i = b; i < e; ++i) dx.data[i] = (dx.add ? dx.data[i] : 0) + value;
  });
}

Tensor scaled_sum(const char* op, const Tensor& x, real scale) {
  const int64_t size = x.size();
  const Tensor y = Tensor::full({}, static_cast<real>(total(x.data(), size) * double(scale)));
  return record(op, y, {&x}, [size, scale, dx = x.gradient()](Gradient& dy) {
    spread(dx.open(), size, *dy.data() * scale);
  });
}

Tensor scaled_sum_in_rows(const char* op, const Tensor& x, real scale) {
  const int64_t rows = x.rows(), cols = x.cols();
  Tensor y(x.shape().with_cols(1));
  for_each_row(rows, cols, [&](int64_t r) {
    y.data()[r] = scale * sum(sum_lanes(cols, as_it_is, x.data() + r * cols));
  });
  return record(op, y, {&x}, [=, dx = x.gradient()](Gradient& dy) {
    const Sink out = dx.open();
    for_each_row(rows, cols, [&](int64_t r) {
      const real share = scale * dy.data()[r];
      real* row = out.data + r * cols;
      for (int64_t c = 0; c < cols; ++c) row[c] = (out.add ? row[c] : 0) + share;
    });
  });
}

}  // namespace

Tensor sum(const Tensor& x) { return scaled_sum("sum", x, 1); }

Tensor mean(const Tensor& x) {
  require(x.size() > 0, "mean: {} has no elements", x.shape());
  return scaled_sum("mean", x, real(1) / static_cast<real>(x.size()));
}

Tensor sum_in_rows(const Tensor& x) { return scaled_sum_in_rows("sum_in_rows", x, 1); }

Tensor mean_in_rows(const Tensor& x) {
  require(x.cols() > 0, "mean_in_rows: {} has empty rows", x.shape());
  return scaled_sum_in_rows("mean_in_rows", x, real(1) / static_cast<real>(x.cols()));
}

Tensor mean_of_segments(const Tensor& x, const Segments& segments) {
  require(x.shape().axes() == 2 && x.rows() == segments.tokens(),
          "mean_of_segments: {} for segments of {} tokens", x.shape(), segments.tokens());
  const int64_t count = segments.count(), cols = x.cols();
  const auto share = [](const Segments& of, int64_t i) {
    return broadcast(real(1) / static_cast<real>(std::max(1, of.length(i))));
  };
  Tensor y({count, cols});
  for_each_row(count, cols * 8, [&](int64_t i) {
    real* const out = y.data() + i * cols;
    std::fill_n(out, cols, real(0));
    const auto scaled = [by = share(segments, i)](Vec v) { return v * by; };
    for (int64_t t = segments.begin(i); t < segments.end(i); ++t) {
      map_into(cols, out, true, scaled, x.data() + t * cols);
    }
  });
  return record("mean_of_segments", y, {&x}, [=, dx = x.gradient()](Gradient& dy) {
    const Sink out = dx.open();
    for_each_row(count, cols * 8, [&](int64_t i) {
      const auto scaled = [by = share(segments, i)](Vec v) { return v * by; };
      for (int64_t t = segments.begin(i); t < segments.end(i); ++t) {
        map_into(cols, out.data + t * cols, out.add, scaled, dy.data() + i * cols);
      }
    });
  });
}

Tensor sum_of_rows(const Tensor& x) {
  const int64_t rows = x.rows(), cols = x.cols();
  Tensor y({cols});
  const Sink sums{y.data(), false};
  sum_over_rows<1>(rows, cols, {sums}, [&](int64_t begin, int64_t end, real* partial) {
    for (int64_t r = begin; r < end; ++r)
      map_into(cols, partial, true, as_it_is, x.data() + r * cols);
  });
  return record("sum_of_rows", y, {&x}, [=, dx = x.gradient()](Gradient& dy) {
    const Sink out = dx.open();
    for_each_row(rows, cols, [&](int64_t r) {
      map_into(cols, out.data + r * cols, out.add, as_it_is, dy.data());
    });
  });
}

Tensor max_in_rows(const Tensor& x) {
  const int64_t rows = x.rows(), cols = x.cols();
  require(cols > 0, "max_in_rows: {} has empty rows", x.shape());
  Tensor y(x.shape().with_cols(1));
  std::vector<int64_t> where(static_cast<size_t>(rows));
  for_each_row(rows, cols, [&](int64_t r) {
    const real* row = x.data() + r * cols;
    where[r] = std::max_element(row, row + cols) - row;
    y.data()[r] = row[where[r]];
  });
  return record("max_in_rows", y, {&x}, [=, dx = x.gradient()](Gradient& dy) {
    real* out = dx.open_cleared();
    for (int64_t r = 0; r < rows; ++r) out[r * cols + where[r]] += dy.data()[r];
  });
}

}  // namespace calque
