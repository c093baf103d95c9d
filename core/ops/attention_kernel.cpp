#include "core/ops/attention_kernel.h"

#include "core/simd_transpose.h"

namespace calque::attention_kernel {

int64_t Problem::piece() const {
  const int64_t pairs = std::max<int64_t>(1, queries.count());
  const int64_t cost = (queries.tokens() / pairs + 1) * (keys.tokens() / pairs + 1) * head_size;
  return std::clamp<int64_t>(400000 / cost, 1, 64);
}

Item::Item(const Problem& p, int64_t number)
    : problem(&p), head(number % p.heads), col(head * p.head_size) {
  const int64_t sentence = number / p.heads;
  first_query = p.queries.begin(sentence);
  first_key = p.keys.begin(sentence);
  queries = p.queries.length(sentence);
  keys = p.keys.length(sentence);
}

namespace {

// The transpose of lanes x lanes numbers.
void transpose_square(Rows from, real* to, int64_t to_stride) {
  Vec square[lanes];
  for (int64_t i = 0; i < lanes; ++i) square[i] = load(from.data + i * from.stride);
  transpose(square);
  for (int64_t i = 0; i < lanes; ++i) store(to + i * to_stride, square[i]);
}

}  // namespace

void transpose_into_panels(Rows rows, int64_t n, int64_t head_size, real* panels) {
  const int64_t total = round_up(n);
  for (int64_t first = 0; first < total; first += panel) {
    const int64_t width = std::min(panel, total - first);
    real* to = panels + first * head_size;
    for (int64_t j = 0; j < width; j += lanes) {
      int64_t k = 0;
      if (first + j + lanes <= n) {
        for (; k + lanes <= head_size; k += lanes) {
          transpose_square(rows.from(first + j, k), to + k * width + j, width);
        }
      }
      for (; k < head_size; ++k) {
        for (int64_t i = 0; i < lanes; ++i) {
          const int64_t row = first + j + i;
          to[k * width + j + i] = row < n ? rows.data[row * rows.stride + k] : 0;
        }
      }
    }
  }
}

void multiply_by_panels(Rows a, int64_t m, const real* panels, int64_t first, int64_t n,
                        int64_t total, int64_t head_size, real* scores) {
  static_assert(key_block % panel == 0);
  for (int64_t at = first; at < first + n; at += panel) {
    const int64_t width = std::min(panel, round_up(total) - at);
    tile_gemm<false>(m, std::min(width, round_up(first + n - at)), head_size, {a.data, a.stride, 1},
                     panels + at * head_size, width, scores + (at - first), key_block);
  }
}

Rows padded(Rows rows, int64_t n, int64_t head_size, real* copy) {
  if (head_size % lanes == 0) return rows;
  const int64_t width = round_up(head_size);
  for (int64_t i = 0; i < n; ++i) {
    std::copy_n(rows.data + i * rows.stride, head_size, copy + i * width);
    std::fill(copy + i * width + head_size, copy + (i + 1) * width, real(0));
  }
  return {copy, width};
}

}  // namespace calque::attention_kernel
