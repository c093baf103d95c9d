#include "decode/cached_attention.h"

#include <algorithm>
#include <cmath>

#include "core/parallel.h"
#include "core/simd_math.h"
#include "core/simd_sums.h"

namespace calque {
namespace {

using Keys = std::span<const real* const>;

// scores[j] = scale q . keys[j], for as many keys at once as a vector has lanes; missing ones are
// the last one again. The array has room for whole vectors.
void score_keys(const real* q, Keys keys, int64_t col, int64_t size, real scale, real* scores) {
  const int64_t whole = size / lanes * lanes;
  for (size_t first = 0; first < keys.size(); first += lanes) {
    const real* block[lanes];
    for (size_t i = 0; i < lanes; ++i) block[i] = keys[std::min(first + i, keys.size() - 1)] + col;
    Vec total[lanes] = {};
    for (int64_t c = 0; c < whole; c += lanes) {
      const Vec x = load(q + c);
      for (int64_t i = 0; i < lanes; ++i) total[i] += x * load(block[i] + c);
    }
    Vec sums = sums_of_lanes(total);
    for (int64_t c = whole; c < size; ++c) {
      for (int64_t i = 0; i < lanes; ++i) sums[i] += q[c] * block[i][c];
    }
    store(scores + first, sums * scale);
  }
}

// scores = softmax(scores) over `count` numbers, which has room for whole vectors.
void softmax_in_place(real* scores, int64_t count) {
  const int64_t padded = (count + lanes - 1) / lanes * lanes;
  std::fill(scores + count, scores + padded, -std::numeric_limits<real>::infinity());
  Vec most = load(scores), total{};
  for (int64_t j = lanes; j < padded; j += lanes) most = max(most, load(scores + j));
  const real m = maximum(most);
  for (int64_t j = 0; j < padded; j += lanes) {
    const Vec e = exp(load(scores + j) - m);
    store(scores + j, e);
    total += e;
  }
  const real share = 1 / sum(total);
  for (int64_t j = 0; j < padded; j += lanes) store(scores + j, load(scores + j) * share);
}

// out = the sum of the values' columns [col, col + vectors * lanes), weighted.
template <int vectors>
void weigh_columns(const real* weights, Keys rows, int64_t col, real* out) {
  Vec total[vectors] = {};
  for (size_t j = 0; j < rows.size(); ++j) {
    for (int v = 0; v < vectors; ++v) total[v] += weights[j] * load(rows[j] + col + v * lanes);
  }
  for (int v = 0; v < vectors; ++v) store(out + v * lanes, total[v]);
}

void weigh_values(const real* weights, Keys rows, int64_t col, int64_t size, real* out) {
  int64_t c = 0;
  for (; c + 4 * lanes <= size; c += 4 * lanes) weigh_columns<4>(weights, rows, col + c, out + c);
  for (; c + lanes <= size; c += lanes) weigh_columns<1>(weights, rows, col + c, out + c);
  for (; c < size; ++c) {
    out[c] = 0;
    for (size_t j = 0; j < rows.size(); ++j) out[c] += weights[j] * rows[j][col + c];
  }
}

}  // namespace

Tensor cached_attention(const real* q, int64_t q_stride, int64_t d, int64_t heads,
                        const CachedRows& cached) {
  const auto queries = static_cast<int64_t>(cached.starts.size()) - 1;
  const int64_t size = d / heads;
  const real scale = 1 / std::sqrt(static_cast<real>(size));
  Tensor out({queries, d});
  const int64_t mean = static_cast<int64_t>(cached.rows.size()) / std::max<int64_t>(1, queries) + 1;
  for_rows(queries, mean * d / 2, [&](int64_t begin, int64_t end) {
    std::vector<real> scores;
    for (int64_t r = begin; r < end; ++r) {
      const std::span keys(cached.rows.data() + cached.starts[r],
                           static_cast<size_t>(cached.starts[r + 1] - cached.starts[r]));
      scores.resize(keys.size() + static_cast<size_t>(lanes));
      for (int64_t head = 0; head < heads; ++head) {
        real* to = out.data() + r * d + head * size;
        if (keys.empty()) {
          std::fill_n(to, size, real(0));
          continue;
        }
        score_keys(q + r * q_stride + head * size, keys, head * size, size, scale, scores.data());
        softmax_in_place(scores.data(), std::ssize(keys));
        weigh_values(scores.data(), keys, cached.value_offset + head * size, size, to);
      }
    }
  });
  return out;
}

}  // namespace calque
