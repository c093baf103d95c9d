// The forward pass of attention: for each block of queries, the keys block by block, keeping for
// each query the largest score so far m, the sum of exp(score - m), and the weighted sum of values
// on the same footing; when m grows, both are scaled down (Milakov and Gimelshein 2018).

#include "core/ops/attention_kernel.h"
#include "core/parallel.h"
#include "core/simd_math.h"

namespace calque::attention_kernel {
namespace {

struct Scratch {
  Scratch(int64_t keys, int64_t head_size, Rows v)
      : panels(round_up(keys) * head_size),
        scores(query_block * score_row),
        sums(query_block * round_up(head_size)),
        values(copy_size(v, keys, head_size)) {}
  Buffer<real> panels, scores, sums, values;
  real most[query_block], total[query_block];
};

real scaled_maximum(const real* scores, int64_t count, real scale) {
  Vec most = broadcast(minus_infinity);
  for (int64_t j = 0; j < count; j += lanes) {
    const Vec s = load(scores + j) * scale;
    most = max(most, first_lanes(count - j) ? s : broadcast(minus_infinity));
  }
  return maximum(most);
}

// scores = exp(scale scores - m) for the first `count`, 0 for the rest; returns their sum.
real exponentials(real* scores, int64_t count, int64_t width, real scale, real m) {
  Vec total{};
  for (int64_t j = 0; j < width; j += lanes) {
    const Vec e = first_lanes(count - j) ? exp(load(scores + j) * scale - m) : Vec{};
    store(scores + j, e);
    total += e;
  }
  return sum(total);
}

void scale_row(real* row, int64_t size, real factor) {
  map(
      size, row, [=](Vec v) { return v * factor; }, row);
}

// Brings row i of the block up to date with the scores of keys [first, first + count).
void absorb(const Item& item, Scratch& scratch, int64_t i, int64_t query, int64_t first,
            int64_t count) {
  const Problem& p = *item.problem;
  real* scores = scratch.scores.data() + i * score_row;
  const int64_t seen = std::clamp<int64_t>(item.visible(query) - first, 0, count);
  const real before = scratch.most[i];
  const real m = std::max(before, scaled_maximum(scores, seen, p.scale));
  const real sum =
      exponentials(scores, seen, round_up(count), p.scale, m == minus_infinity ? 0 : m);
  if (m > before && before > minus_infinity) {
    const real shrink = std::exp(before - m);
    scratch.total[i] *= shrink;
    scale_row(scratch.sums.data() + i * round_up(p.head_size), round_up(p.head_size), shrink);
  }
  scratch.most[i] = m;
  scratch.total[i] += sum;
  if (p.mask.active()) {
    alignas(64) real factors[key_block];
    p.mask.factors(item.mask_row_of(query) + first, seen, factors);
    map(
        seen, scores, [](Vec s, Vec f) { return s * f; }, scores, factors);
  }
}

// out = the weighted sums over their totals, for queries [begin, begin + m).
void finish(const Item& item, Scratch& scratch, int64_t begin, int64_t m, real* out, real* scales) {
  const Problem& p = *item.problem;
  const int64_t d = p.heads * p.head_size;
  for (int64_t i = 0; i < m; ++i) {
    const int64_t token = item.first_query + begin + i;
    const real total = scratch.total[i];
    const real share = total > 0 ? 1 / total : 0;
    map(
        p.head_size, out + token * d + item.col, [=](Vec v) { return v * share; },
        scratch.sums.data() + i * round_up(p.head_size));
    real* kept = scales + 2 * (token * p.heads + item.head);
    kept[0] = total > 0 ? scratch.most[i] : 0;
    kept[1] = total > 0 ? std::log(total) : std::numeric_limits<real>::infinity();
  }
}

void block(const Item& item, Scratch& scratch, int64_t begin, Rows q, Rows v, real* out,
           real* scales) {
  const Problem& p = *item.problem;
  const int64_t m = std::min(query_block, item.queries - begin), width = round_up(p.head_size);
  std::fill_n(scratch.most, m, minus_infinity);
  std::fill_n(scratch.total, m, real(0));
  std::fill_n(scratch.sums.data(), m * width, real(0));
  const int64_t seen = item.visible(begin + m - 1);
  for (int64_t first = 0; first < seen; first += key_block) {
    const int64_t count = std::min(key_block, seen - first);
    multiply_by_panels(q.from(begin, 0), m, scratch.panels.data(), first, count, item.keys,
                       p.head_size, scratch.scores.data());
    for (int64_t i = 0; i < m; ++i) absorb(item, scratch, i, begin + i, first, count);
    tile_product({m, width, count}, {scratch.scores.data(), score_row, 1},
                 v.data + first * v.stride, v.stride, {{scratch.sums.data(), true}, width});
  }
  finish(item, scratch, begin, m, out, scales);
}

}  // namespace

void forward(const Problem& p, Rows q, Rows k, Rows v, real* out, real* scales) {
  const int64_t longest = p.keys.longest();
  parallel_for(p.items(), p.piece(), [&](int64_t begin, int64_t end) {
    Scratch scratch(longest, p.head_size, v);
    for (int64_t number = begin; number < end; ++number) {
      const Item item(p, number);
      if (item.queries == 0) continue;
      transpose_into_panels(k.from(item.first_key, item.col), item.keys, p.head_size,
                            scratch.panels.data());
      const Rows values = right_side(v.from(item.first_key, item.col), item.keys, p.head_size,
                                     scratch.values.data());
      for (int64_t query = 0; query < item.queries; query += query_block) {
        block(item, scratch, query, q.from(item.first_query, item.col), values, out, scales);
      }
    }
  });
}

}  // namespace calque::attention_kernel
