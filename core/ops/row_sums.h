#pragma once
// Sums over the rows of a matrix, as the gradients of biases and gains need them: the rows are cut
// into pieces that depend on their number alone, each piece has a partial sum of its own, and these
// are added in order. The body may do other work on its rows on the way.

#include <algorithm>
#include <array>

#include "core/memory.h"
#include "core/parallel.h"
#include "core/simd.h"
#include "core/tensor.h"

namespace calque {

// How many rows are summed in single numbers; sums of such stretches are added in double.
constexpr int64_t rows_in_a_stretch = 64;

// sinks[s][c] (+)= the sum over rows of what body(row_begin, row_end, sums) adds to
// sums[s * cols + c]. A sink without memory is left out.
template <size_t count, class Body>
void sum_over_rows(int64_t rows, int64_t cols, const std::array<Sink, count>& sinks, Body&& body) {
  const int64_t piece = std::max<int64_t>(32, (rows + 63) / 64);
  const int64_t pieces = (rows + piece - 1) / piece, width = cols * static_cast<int64_t>(count);
  Buffer<double> partials(std::max<int64_t>(1, pieces * width));
  Buffer<real> stretches(std::max<int64_t>(1, pieces * width));
  parallel_for(rows, piece, [&](int64_t begin, int64_t end) {
    double* partial = partials.data() + begin / piece * width;
    real* sums = stretches.data() + begin / piece * width;
    std::fill_n(partial, width, 0.0);
    for (int64_t first = begin; first < end; first += rows_in_a_stretch) {
      std::fill_n(sums, width, real(0));
      body(first, std::min(end, first + rows_in_a_stretch), sums);
      for (int64_t c = 0; c < width; ++c) partial[c] += double(sums[c]);
    }
  });
  constexpr int64_t together = 512;
  parallel_for(cols, together, [&](int64_t begin, int64_t end) {
    for (size_t s = 0; s < count; ++s) {
      if (!sinks[s].data) continue;
      std::array<double, together> totals{};
      for (int64_t p = 0; p < pieces; ++p) {
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

// sink[c] (+)= the sum over rows of term(r, c, count, sums), which adds `count` numbers of row r
// from column c on to sums: for few rows, or rows that cost nothing to read by parts. Each stretch
// of columns goes down all rows.
template <class Term>
void sum_down_columns(int64_t rows, int64_t cols, Sink sink, Term&& term) {
  constexpr int64_t width = 64, stretch = rows_in_a_stretch;
  parallel_for(cols, width, [&](int64_t begin, int64_t end) {
    const int64_t count = end - begin;
    std::array<double, width> totals{};
    for (int64_t first = 0; first < rows; first += stretch) {
      alignas(64) real sums[width] = {};
      for (int64_t r = first; r < std::min(rows, first + stretch); ++r) {
        term(r, begin, count, static_cast<real*>(sums));
      }
      for (int64_t c = 0; c < count; ++c) totals[c] += double(sums[c]);
    }
    for (int64_t c = 0; c < count; ++c) {
      real& out = sink.data[begin + c];
      out = (sink.add ? out : 0) + static_cast<real>(totals[c]);
    }
  });
}

}  // namespace calque
