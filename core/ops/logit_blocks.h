#pragma once
// The logits of a projection to the vocabulary, a block of tokens at a time, for cross_entropy.cpp.

#include <algorithm>
#include <vector>

#include "core/memory/pool.h"
#include "core/ops/token_loss.h"
#include "core/products/blas.h"
#include "core/simd/math.h"
#include "core/simd/vector.h"
#include "core/tensor.h"
#include "core/threads/rows.h"

namespace calque {

// The number of rows in a block of logits, for each pass. A block has about two million numbers,
// which is enough for fast products. With a large vocabulary each product copies many weights to
// panels, so there is a minimum of rows.
inline int64_t logit_block_rows(int64_t vocabulary) {
  return std::clamp<int64_t>((int64_t{2} << 20) / std::max<int64_t>(1, vocabulary), 192, 1024);
}

// One or two passes over the tokens, each x [tokens, d], and the projection.
struct Projection {
  std::vector<Tensor> passes;
  Tensor w, b;
  real cap = 0;

  int64_t tokens() const { return passes[0].rows(); }
  int64_t d() const { return w.cols(); }
  Matrix x(size_t pass, int64_t first, int64_t rows) const {
    return {passes[pass].data() + first * d(), rows, d()};
  }
};

// A block of logits, with rows of each pass one after the other; all blocks share the memory. Rows
// are an odd number of cache lines apart, so that no vector lies in two lines and columns do not
// conflict in the caches.
struct LogitBlock {
  LogitBlock(int64_t most_rows, int64_t vocabulary_size, bool with_slopes)
      : vocabulary(vocabulary_size),
        stride(round_up(vocabulary, cache_line) | cache_line),
        numbers(most_rows * stride),
        slopes(with_slopes ? most_rows * stride : 0) {}
  LogitRows rows(size_t pass) { return {numbers.data() + begin(pass), vocabulary, stride}; }
  Matrix matrix(size_t pass) { return {rows(pass).data, count, vocabulary, stride}; }
  int64_t begin(size_t pass) const { return static_cast<int64_t>(pass) * count * stride; }

  // Calls row(numbers, slopes) for each row.
  template <class Row>
  void with_slopes(size_t pass, Row&& row) {
    for_each_row(count, vocabulary, [&](int64_t r) {
      const int64_t at = begin(pass) + r * stride;
      row(numbers.data() + at, slopes.data() + at);
    });
  }

  int64_t vocabulary, stride;
  int64_t first = 0, count = 0;  // the tokens of the block
  Buffer<real> numbers;
  Buffer<real> slopes;  // of capped logits, by the logits before
};

// A logit z becomes cap tanh(z / cap), with the slope 1 - tanh(z / cap)^2.
inline void cap_logits(LogitBlock& logits, size_t pass, real cap) {
  const auto capped = [cap](Vec z) { return cap * tanh(z / cap); };
  const auto slope = [cap](Vec z) { return 1 - z * z / (cap * cap); };
  logits.with_slopes(pass, [&](real* numbers, real* slopes) {
    map(logits.vocabulary, numbers, capped, numbers);
    map(logits.vocabulary, slopes, slope, numbers);
  });
}

// A block for the logits of a projection: all that exist at one time.
inline LogitBlock block_for(const Projection& from) {
  const int64_t most = std::min(logit_block_rows(from.w.rows()), from.tokens());
  return {std::ssize(from.passes) * most, from.w.rows(), from.cap > 0};
}

// Fills the block with x w^T + b of its tokens, capped if from.cap > 0.
inline void fill(LogitBlock& logits, const Projection& from) {
  for (size_t pass = 0; pass < from.passes.size(); ++pass) {
    gemm(from.x(pass, logits.first, logits.count),
         transposed({from.w.values(), logits.vocabulary, from.d()}),
         {logits.rows(pass).data, false}, 1, logits.stride,
         {.bias = from.b ? from.b.data() : nullptr});
    if (from.cap > 0) cap_logits(logits, pass, from.cap);
  }
}

// Calls use(block) for every block of logits.
template <class Use>
void for_logits(const Projection& from, Use&& use) {
  const int64_t tokens = from.tokens(), most = std::min(logit_block_rows(from.w.rows()), tokens);
  LogitBlock logits = block_for(from);
  for (; logits.first < tokens; logits.first += most) {
    logits.count = std::min(most, tokens - logits.first);
    fill(logits, from);
    use(logits);
  }
}

}  // namespace calque
