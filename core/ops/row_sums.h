#pragma once
// Sums over the rows of a matrix, for the gradients of biases and gains. The rows are split into
// chunks that depend only on their number; the partial sums of the chunks are added in order.

#include <algorithm>
#include <array>

#include "core/memory/pool.h"
#include "core/simd/vector.h"
#include "core/tensor.h"
#include "core/threads/parallel.h"

namespace calque {

// The number of rows that are summed in `real`; these sums are added in double.
constexpr int64_t rows_per_sum = 64;

// sinks[s][c] (+)= the sum over rows of what body(row_begin, row_end, sums) adds to
// sums[s * cols + c]. The body may do other work on its rows. A sink without memory is skipped.
template <size_t count, class Body>
void sum_over_rows(int64_t rows, int64_t cols, const std::array<Sink, count>& sinks, Body&& body) {
  const int64_t chunk = std::max<int64_t>(32, (rows + 63) / 64);
  const int64_t chunks = (rows + chunk - 1) / chunk, width = cols * static_cast<int64_t>(count);
  Buffer<double> partials(std::max<int64_t>(1, chunks * width));
  Buffer<real> chunk_sums(std::max<int64_t>(1, chunks * width));
  parallel_for(rows, chunk, [&](int64_t begin, int64_t end) {
    double* partial = partials.data() + begin / chunk * width;
    real* sums = chunk_sums.data() + begin / chunk * width;
    std::fill_n(partial, width, 0.0);
    for (int64_t first = begin; first < end; first += rows_per_sum) {
      std::fill_n(sums, width, real(0));
      body(first, std::min(end, first + rows_per_sum), sums);
      for (int64_t c = 0; c < width; ++c) partial[c] += double(sums[c]);
    }
  });
  constexpr int64_t together = 512;
  parallel_for(cols, together, [&](int64_t begin, int64_t end) {
    for (size_t s = 0; s < count; ++s) {
      if (!sinks[s].data) continue;
      std::array<double, together> totals{};
      for (int64_t p = 0; p < chunks; ++p) {
        const double* partial = partials.data() + p * width + static_cast<int64_t>(s) * cols;
        for (int64_t c = begin; c < end; ++c) totals[c - begin] += partial[c];
      }
      for (int64_t c = begin; c < end; ++c) {
        real& out = sinks[s].data[c];
        out = (sinks[s].add ? out : 0) + static_cast<real>(totals[c - begin]);
      }
    }
  });
}

}  // namespace calque
