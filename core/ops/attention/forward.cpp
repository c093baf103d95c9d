// The forward pass of attention. For each block of queries it goes over the keys block by block and
// keeps, for each query, the largest score so far m, the sum of exp(score - m), and the weighted
// sum of values; when m grows, both sums are rescaled (Milakov and Gimelshein 2018). Where one
// block holds all keys, as in most sentences, the weights are divided by their sum before the
// product with the values, which then writes the result in place.

#include "core/ops/attention/kernel.h"
#include "core/simd/math.h"
#include "core/threads/parallel.h"

namespace calque::attention_kernel {
namespace {

struct ForwardScratch {
  ForwardScratch(const Problem& p, Rows v)
      : panels(query_block * p.head_size),
        scores(key_block * query_block),
        factors(most_factors(p)),
        sums(query_block * round_up(p.head_size)),
        values(copy_size(v, p.most_keys, p.head_size)) {}
  Buffer<real> panels, scores, factors, sums;
  Buffer<real> values;  // a copy, where right_side() makes one
  // Of each query: the largest score so far, the sum, and the factor of its weighted sum.
  alignas(64) real most[query_block], total[query_block], factor[query_block];
};

// For a vector of queries: turns scores into exp(score - m), and updates m and the sum.
void absorb(const ScoreBlock& block, ForwardScratch& scratch, int64_t lane) {
  const int64_t cols = block.cols(), end = block.keys * cols;
  real* scores = scratch.scores.data() + lane;
  const Vec before = load(scratch.most + lane);
  Vec most = before;
  for (int64_t at = 0; at < end; at += cols) most = max(most, load(scores + at));
  const Vec origin = most == minus_infinity ? Vec{} : most;
  Vec sum{};
  for (int64_t at = 0; at < end; at += cols) {
    const Vec e = exp(load(scores + at) - origin);
    store(scores + at, e);
    sum += e;
  }
  const Vec smaller = exp(before - origin);
  store(scratch.most + lane, most);
  store(scratch.total + lane, load(scratch.total + lane) * smaller + sum);
  store(scratch.factor + lane, smaller);
}

// Multiplies each score by the factor of its query and key. If factor_row is 0, all keys share one
// row of factors.
void scale_scores(const ScoreBlock& block, ForwardScratch& scratch, const real* factors,
                  int64_t factor_row) {
  const int64_t cols = block.cols();
  for (int64_t j = 0; j < block.keys; ++j) {
    real* scores = scratch.scores.data() + j * cols;
    map(cols, scores, times, scores, factors + j * factor_row);
  }
}

// The weights of the block's keys, before the division by the sum.
void weigh(const ScoreBlock& block, ForwardScratch& scratch, Rows k) {
  const Problem& p = *block.item->problem;
  real* scores = scratch.scores.data();
  multiply_by_panels(block, k, scratch.panels.data(), p.scale, scores);
  cap_scores(p.cap, block.keys * block.cols(), scores);
  mask_unseen(block, minus_infinity, scores);
  for (int64_t lane = 0; lane < block.cols(); lane += lanes) absorb(block, scratch, lane);
  if (p.mask.active()) {
    const int64_t row = dropout_factors(block, scratch.factors.data());
    scale_scores(block, scratch, scratch.factors.data(), row);
  }
}

// to (+)= the weights times the values.
void add_values(const ScoreBlock& block, const ForwardScratch& scratch, Rows v,
                const Destination& to, int64_t cols) {
  tile_product({block.queries, cols, block.keys}, {scratch.scores.data(), 1, block.cols()},
               v.from(block.first_key, 0).data, v.stride, to);
}

// After the last keys: sets the factors to 1 / sum, and stores the scales.
void finish(const ScoreBlock& block, ForwardScratch& scratch, real* scales) {
  const Problem& p = *block.item->problem;
  real* most_kept = scales + block.index();
  real* log_kept = most_kept + p.heads * p.queries.tokens();
  for (int64_t lane = 0; lane < block.queries; lane += lanes) {
    const int64_t count = std::min(lanes, block.queries - lane);
    const Vec total = load(scratch.total + lane), most = load(scratch.most + lane);
    const Bits any = total > 0;
    store(scratch.factor + lane, any ? 1 / total : Vec{});
    store_first(most_kept + lane, any ? most : Vec{}, count);
    store_first(log_kept + lane, any ? log(total) : broadcast(-minus_infinity), count);
  }
}

void scale_row(real* to, int64_t size, real factor, const real* from) {
  const auto scaled = [=](Vec v) { return v * factor; };
  map(size, to, scaled, from);
}

// Computes one block of queries; `out` has the rows of the item.
void attend(ScoreBlock block, ForwardScratch& scratch, Rows q, Rows k, Rows v,
            const Destination& out, real* scales) {
  const int64_t head_size = block.item->problem->head_size, width = round_up(head_size);
  transpose_into_panels(q.from(block.first_query, 0), block.queries, head_size,
                        scratch.panels.data());
  std::fill_n(scratch.most, block.cols(), minus_infinity);
  std::fill_n(scratch.total, block.cols(), real(0));
  const Destination result = out.at(block.first_query, 0);
  if (block.has_one_block()) {
    if (block.next_keys()) weigh(block, scratch, k);
    finish(block, scratch, scales);
    scale_scores(block, scratch, scratch.factor, 0);
    return add_values(block, scratch, v, result, head_size);
  }
  real* const sums = scratch.sums.data();
  for (bool first = true; block.next_keys(); first = false) {
    weigh(block, scratch, k);
    for (int64_t i = 0; i < block.queries && !first; ++i) {
      const real smaller = scratch.factor[i];
      if (smaller != 1) scale_row(sums + i * width, width, smaller, sums + i * width);
    }
    add_values(block, scratch, v, {{sums, !first}, width}, width);
  }
  finish(block, scratch, scales);
  for (int64_t i = 0; i < block.queries; ++i) {
    scale_row(result.at(i, 0).c.data, head_size, scratch.factor[i], sums + i * width);
  }
}

}  // namespace

void forward(const Problem& p, Rows q, Rows k, Rows v, real* out, real* scales) {
  const int64_t d = p.heads * p.head_size;
  parallel_for(p.items(), p.items_per_chunk(), [&](int64_t begin, int64_t end) {
    ForwardScratch scratch(p, v);
    for (int64_t number = begin; number < end; ++number) {
      const Item item(p, number);
      const Rows queries = q.from(item.first_query, item.col),
                 keys = k.from(item.first_key, item.key_col);
      const Rows values = right_side(v.from(item.first_key, item.key_col), item.keys, p.head_size,
                                     scratch.values.data());
      const Destination result = Destination{{out, false}, d}.at(item.first_query, item.col);
      for (int64_t query = 0; query < item.queries;) {
        ScoreBlock block(item, query);
        query += block.queries;
        attend(std::move(block), scratch, queries, keys, values, result, scales);
      }
    }
  });
}

}  // namespace calque::attention_kernel
