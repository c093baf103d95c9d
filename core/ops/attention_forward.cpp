// The forward pass of attention: for each block of queries, the keys block by block, keeping for
// each query the largest score so far m, the sum of exp(score - m), and the weighted sum of values
// on the same footing; when m grows, both are scaled down (Milakov and Gimelshein 2018). Where the
// keys are one block, as in most sentences, the weights are divided by their sum before they meet
// the values, and the result is written where it belongs at once.

#include "core/ops/attention_kernel.h"
#include "core/parallel.h"
#include "core/simd_math.h"

namespace calque::attention_kernel {
namespace {

struct Scratch {
  Scratch(const Problem& p, Rows v) {
    const auto arrays = arrays_in<5>(
        memory,
        {query_block * p.head_size, key_block * query_block, p.mask.active() ? most_factors : 0,
         query_block * round_up(p.head_size), copy_size(v, p.most_keys, p.head_size)});
    panels = arrays[0], scores = arrays[1], factors = arrays[2];
    sums = arrays[3], values = arrays[4];
  }
  Buffer<real> memory;
  real *panels, *scores, *factors, *sums, *values;
  // Of each query: the largest score so far, the sum, and what to scale its weighted sum with.
  alignas(64) real most[query_block], total[query_block], factor[query_block];
};

// Scores of the queries in a vector's lanes become exp(score - m), and their m and sum what they
// are with these keys too.
void absorb(const Block& block, Scratch& scratch, int64_t lane) {
  const int64_t cols = block.cols(), end = block.keys * cols;
  real* scores = scratch.scores + lane;
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

// Each score times what stands in `factors` for its query and key: its key's row, or the same row
// for every key if they are 0 apart.
void scale_scores(const Block& block, Scratch& scratch, const real* factors, int64_t factor_row) {
  const int64_t cols = block.cols();
  for (int64_t j = 0; j < block.keys; ++j) {
    real* scores = scratch.scores + j * cols;
    map(
        cols, scores, [](Vec s, Vec f) { return s * f; }, scores, factors + j * factor_row);
  }
}

// What the block's keys weigh, before the division by the sum.
void weigh(const Block& block, Scratch& scratch, Rows k) {
  const Problem& p = *block.item->problem;
  real* scores = scratch.scores;
  multiply_by_panels(block, k, scratch.panels, p.scale, scores);
  hide(block, minus_infinity, scores);
  for (int64_t lane = 0; lane < block.cols(); lane += lanes) absorb(block, scratch, lane);
  if (p.mask.active()) {
    const int64_t row = dropout_factors(block, scratch.factors);
    scale_scores(block, scratch, scratch.factors, row);
  }
}

// to (+)= the weights times the values.
void add_values(const Block& block, const Scratch& scratch, Rows v, RowSink to, int64_t cols) {
  tile_product({block.queries, cols, block.keys}, {scratch.scores, 1, block.cols()},
               v.from(block.first_key, 0).data, v.stride, {{to.data, to.add}, to.stride});
}

// When all keys have been met: factors are 1 / sum, and the scales are kept.
void finish(const Block& block, Scratch& scratch, real* scales) {
  const Problem& p = *block.item->problem;
  real* most_kept = scales + block.place();
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
  map(
      size, to, [=](Vec v) { return v * factor; }, from);
}

// One block of queries; `out` are the item's rows.
void attend(Block block, Scratch& scratch, Rows q, Rows k, Rows v, RowSink out, real* scales) {
  const int64_t head_size = block.item->problem->head_size, width = round_up(head_size);
  transpose_into_panels(q.from(block.first_query, 0), block.queries, head_size, scratch.panels);
  std::fill_n(scratch.most, block.cols(), minus_infinity);
  std::fill_n(scratch.total, block.cols(), real(0));
  const RowSink result = out.from(block.first_query, 0);
  if (block.seen <= key_block) {
    if (block.next_keys()) weigh(block, scratch, k);
    finish(block, scratch, scales);
    scale_scores(block, scratch, scratch.factor, 0);
    return add_values(block, scratch, v, result, head_size);
  }
  real* const sums = scratch.sums;
  while (block.next_keys()) {
    weigh(block, scratch, k);
    const bool first = block.first_key == 0;
    for (int64_t i = 0; i < block.queries && !first; ++i) {
      const real smaller = scratch.factor[i];
      if (smaller != 1) scale_row(sums + i * width, width, smaller, sums + i * width);
    }
    add_values(block, scratch, v, {sums, width, !first}, width);
  }
  finish(block, scratch, scales);
  for (int64_t i = 0; i < block.queries; ++i) {
    scale_row(result.from(i, 0).data, head_size, scratch.factor[i], sums + i * width);
  }
}

}  // namespace

void forward(const Problem& p, Rows q, Rows k, Rows v, real* out, real* scales) {
  const int64_t d = p.heads * p.head_size;
  parallel_for(p.items(), p.piece(), [&](int64_t begin, int64_t end) {
    Scratch scratch(p, v);
    for (int64_t number = begin; number < end; ++number) {
      const Item item(p, number);
      const Rows queries = q.from(item.first_query, item.col),
                 keys = k.from(item.first_key, item.col);
      const Rows values =
          right_side(v.from(item.first_key, item.col), item.keys, p.head_size, scratch.values);
      const RowSink result = RowSink{out, d}.from(item.first_query, item.col);
      for (int64_t query = 0; query < item.queries; query += query_block) {
        attend(Block(item, query), scratch, queries, keys, values, result, scales);
      }
    }
  });
}

}  // namespace calque::attention_kernel
