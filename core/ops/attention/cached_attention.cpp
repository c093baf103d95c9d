#include "core/ops/attention/cached_attention.h"

#include <algorithm>

#include "core/ops/attention/kernel.h"
#include "core/simd/folds.h"
#include "core/simd/math.h"
#include "core/threads/parallel.h"

namespace calque {
namespace {

using Keys = std::span<const real* const>;

// Lane i: the dot product of q and the columns [col, col + size) of keys[i]. `size` is vectors *
// lanes, or any number if vectors = 0.
template <int vectors>
Vec products_with(const real* q, const real* const (&keys)[lanes], int64_t col, int64_t size) {
  const int64_t whole = vectors > 0 ? vectors * lanes : size / lanes * lanes;
  Vec sums = sums_of_lanes([&](int64_t i) {
    const real* key = keys[i] + col;
    Vec total{};
    for (int64_t c = 0; c < whole; c += lanes) total += load(q + c) * load(key + c);
    return total;
  });
  for (int64_t c = whole; c < size; ++c) {
    for (int64_t i = 0; i < lanes; ++i) sums[i] += q[c] * keys[i][col + c];
  }
  return sums;
}

using Products = Vec (*)(const real*, const real* const (&)[lanes], int64_t, int64_t);
Products products_for(int64_t size) {
  if (size == 2 * lanes) return products_with<2>;
  return size == 4 * lanes ? products_with<4> : products_with<0>;
}

// The heads of one query.
struct Heads {
  int64_t count, group, size;  // `group` heads share keys and values
  real scale, cap;

  Heads(int64_t d, const AttentionOptions& options)
      : count(options.heads),
        group(count / options.heads_of_keys()),
        size(d / count),
        scale(attention_kernel::score_scale(options, size)),
        cap(options.cap) {}

  // The first column of head h in keys, and in values.
  int64_t key_col(int64_t h) const { return h / group * size; }
  Vec scores(Vec products) const { return attention_kernel::capped(products * scale, cap); }
};

// scores[h * padded + j] = scale q_h . k_jh for head h and row j; minus infinity after the last
// row.
void score_keys(const real* q, Keys rows, const Heads& heads, real* scores) {
  const int64_t count = std::ssize(rows), padded = round_up(count);
  const Products products = products_for(heads.size);
  for (int64_t first = 0; first < count; first += lanes) {
    const real* keys[lanes];
    for (int64_t i = 0; i < lanes; ++i) keys[i] = rows[std::min(first + i, count - 1)];
    const Bits exists = first_lanes(count - first);
    for (int64_t h = 0; h < heads.count; ++h) {
      const Vec sums = products(q + h * heads.size, keys, heads.key_col(h), heads.size);
      store(scores + h * padded + first, exists ? heads.scores(sums) : broadcast(minus_infinity));
    }
  }
}

// Replaces each score by exp(score - maximum), over whole vectors. Returns 1 / the sum of the
// results.
real exp_in_place(real* scores, int64_t count) {
  Vec most = load(scores), total{};
  for (int64_t j = lanes; j < count; j += lanes) most = max(most, load(scores + j));
  const real m = maximum(most);
  for (int64_t j = 0; j < count; j += lanes) {
    const Vec e = exp(load(scores + j) - m);
    store(scores + j, e);
    total += e;
  }
  return 1 / sum(total);
}

// out = normalizer * the sum over rows j of weights[j] * columns [col, col + vectors * lanes).
template <int vectors>
void weigh_columns(const real* weights, Keys rows, int64_t col, real normalizer, real* out) {
  Vec total[vectors] = {};
  for (size_t j = 0; j < rows.size(); ++j) {
    for (int v = 0; v < vectors; ++v) total[v] += weights[j] * load(rows[j] + col + v * lanes);
  }
  for (int v = 0; v < vectors; ++v) store(out + v * lanes, total[v] * normalizer);
}

void weigh_values(const real* weights, Keys rows, int64_t col, int64_t size, real normalizer,
                  real* out) {
  int64_t c = 0;
  for (; c + 4 * lanes <= size; c += 4 * lanes)
    weigh_columns<4>(weights, rows, col + c, normalizer, out + c);
  for (; c + lanes <= size; c += lanes)
    weigh_columns<1>(weights, rows, col + c, normalizer, out + c);
  for (; c < size; ++c) {
    real total = 0;
    for (size_t j = 0; j < rows.size(); ++j) total += weights[j] * rows[j][col + c];
    out[c] = total * normalizer;
  }
}

// Attention of one query. Each step runs over all heads before the next step, so that the
// dependency chains of the heads overlap.
void attend(const real* q, Keys rows, int64_t value_offset, const Heads& heads, real* scores,
            real* out) {
  const int64_t padded = round_up(std::ssize(rows)), count = heads.count, size = heads.size;
  score_keys(q, rows, heads, scores);
  real* normalizers = scores + count * padded;
  for (int64_t h = 0; h < count; ++h) normalizers[h] = exp_in_place(scores + h * padded, padded);
  for (int64_t h = 0; h < count; ++h) {
    weigh_values(scores + h * padded, rows, value_offset + heads.key_col(h), size, normalizers[h],
                 out + h * size);
  }
}

}  // namespace

Tensor cached_attention(const real* q, int64_t q_stride, int64_t d, const AttentionOptions& options,
                        const CachedRows& cached) {
  const Heads heads(d, options);
  const auto queries = std::ssize(cached.starts) - 1;
  Tensor out({queries, d});
  const int64_t mean = std::ssize(cached.rows) / std::max<int64_t>(1, queries) + 1;
  for_rows(queries, mean * d / 2, [&](int64_t begin, int64_t end) {
    std::vector<real> scores;
    for (int64_t r = begin; r < end; ++r) {
      const Keys rows(cached.rows.data() + cached.starts[r],
                      static_cast<size_t>(cached.starts[r + 1] - cached.starts[r]));
      scores.resize(heads.count * (round_up(std::ssize(rows)) + 1));
      attend(q + r * q_stride, rows, cached.value_offset, heads, scores.data(), out.data() + r * d);
    }
  });
  return out;
}

}  // namespace calque
