#include "decode/cached_attention.h"

#include <algorithm>
#include <cmath>

#include "core/parallel.h"
#include "core/simd_math.h"

namespace calque {
namespace {

// scores = softmax(scores) over `count` numbers; the array has room for whole vectors.
void softmax_in_place(real* scores, int64_t count) {
  const real most = *std::max_element(scores, scores + count);
  std::fill(scores + count, scores + (count + lanes - 1) / lanes * lanes,
            -std::numeric_limits<real>::infinity());
  Vec total{};
  for (int64_t j = 0; j < count; j += lanes) {
    const Vec e = exp(load(scores + j) - most);
    store(scores + j, e);
    total += e;
  }
  const real share = 1 / sum(total);
  map(
      count, scores, [=](Vec v) { return v * share; }, scores);
}

// One query and head: `keys` point at the head's part of each row.
void attend(const real* q, std::span<const real* const> keys, int64_t col, int64_t value_offset,
            int64_t size, real* scores, real* out) {
  const auto count = static_cast<int64_t>(keys.size());
  const real scale = 1 / std::sqrt(static_cast<real>(size));
  for (int64_t j = 0; j < count; ++j) {
    scores[j] = scale * sum(sum_lanes(
                            size, [](Vec a, Vec b) { return a * b; }, q, keys[j] + col));
  }
  softmax_in_place(scores, count);
  std::fill_n(out, size, real(0));
  for (int64_t j = 0; j < count; ++j) {
    const real weight = scores[j];
    map_into(
        size, out, true, [=](Vec v) { return v * weight; }, keys[j] + value_offset + col);
  }
}

}  // namespace

Tensor cached_attention(const real* q, int64_t q_stride, int64_t d, int64_t heads,
                        const CachedRows& cached) {
  const auto queries = static_cast<int64_t>(cached.starts.size()) - 1;
  const int64_t size = d / heads;
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
        attend(q + r * q_stride + head * size, keys, head * size, cached.value_offset, size,
               scores.data(), to);
      }
    }
  });
  return out;
}

}  // namespace calque
