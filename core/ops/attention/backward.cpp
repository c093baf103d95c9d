// The backward pass of attention. It recomputes the weights P of a block from the scores and the
// scales of the forward pass. With the dropout factors F and D_i = dO_i . O_i,
//
//   dV += (F P)^T dO,   dS = scale P (F (dO V^T) - D),   dQ += dS K,   dK += dS^T Q
//
// Capped scores C multiply dS by the slope 1 - (C / cap)^2. One head of keys of one sentence, with
// all heads of queries that it serves, is one unit of work, so one thread adds up each sum in a
// fixed order.

#include "core/ops/attention/kernel.h"
#include "core/simd/math.h"
#include "core/threads/parallel.h"

namespace calque::attention_kernel {
namespace {

struct BackwardScratch {
  BackwardScratch(const Problem& p, Rows q, Rows k, Rows dout)
      : query_panels(query_block * p.head_size),
        dout_panels(query_block * p.head_size),
        weights(key_block * query_block),
        slopes(key_block * query_block),
        factors(most_factors(p)),
        dq(query_block * round_up(p.head_size)),
        dk(p.most_keys * round_up(p.head_size)),
        dv(p.most_keys * round_up(p.head_size)),
        queries(copy_size(q, p.most_queries, p.head_size)),
        keys(copy_size(k, p.most_keys, p.head_size)),
        douts(copy_size(dout, p.most_queries, p.head_size)) {}
  Buffer<real> query_panels, dout_panels, weights, slopes, factors, dq, dk, dv;
  Buffer<real> queries, keys, douts;  // copies, where right_side() makes them
  alignas(64) real dots[query_block] = {};
};

// The inputs of one item.
struct Views {
  Rows q, k, dout;  // right sides of products
  Rows v, out;
  const real* scales;
};

// For a vector of queries: replaces the scores in `weights` by F P, and dO V^T in `slopes` by dS.
void differentiate(const ScoreBlock& block, BackwardScratch& scratch, const real* scales,
                   int64_t lane, const real* factors, int64_t factor_row) {
  const Problem& p = *block.item->problem;
  const int64_t count = std::min(lanes, block.queries - lane), cols = block.cols();
  const real* kept = scales + block.index() + lane;
  const Vec most = load_first(kept, count);
  const Vec log_total = load_first(kept + p.heads * p.queries.tokens(), count);
  const Vec dot = load(scratch.dots + lane);
  const real per_cap = p.cap == 0 ? 0 : 1 / p.cap;
  real *weights = scratch.weights.data() + lane, *slopes = scratch.slopes.data() + lane;
  for (int64_t j = 0; j < block.keys; ++j, weights += cols, slopes += cols) {
    const Vec score = load(weights);
    const Vec capped = max(score, broadcast(-p.cap)) * per_cap;  // finite where a key is not seen
    const Vec w = exp((score - most) - log_total);
    const Vec factor = factors ? load(factors + j * factor_row + lane) : broadcast(1);
    store(weights, w * factor);
    store(slopes, w * (factor * load(slopes) - dot) * p.scale * (1 - capped * capped));
  }
}

// Adds the gradients of one block of queries to scratch.dq, and those of its keys to dk and dv.
void go_back(ScoreBlock block, BackwardScratch& scratch, const Views& views) {
  const Problem& p = *block.item->problem;
  const int64_t m = block.queries, size = p.head_size, width = round_up(size);
  const Rows q = views.q.from(block.first_query, 0), dout = views.dout.from(block.first_query, 0);
  transpose_into_panels(q, m, size, scratch.query_panels.data());
  transpose_into_panels(dout, m, size, scratch.dout_panels.data());
  for (int64_t i = 0; i < m; ++i) {
    scratch.dots[i] =
        dot(size, views.out.from(block.first_query + i, 0).data, dout.from(i, 0).data);
  }
  while (block.next_keys()) {
    real *weights = scratch.weights.data(), *slopes = scratch.slopes.data();
    multiply_by_panels(block, views.k, scratch.query_panels.data(), p.scale, weights);
    multiply_by_panels(block, views.v, scratch.dout_panels.data(), 1, slopes);
    cap_scores(p.cap, block.keys * block.cols(), weights);
    mask_unseen(block, minus_infinity, weights);
    mask_unseen(block, 0, slopes);
    const real* factors = p.mask.active() ? scratch.factors.data() : nullptr;
    const int64_t factor_row = factors ? dropout_factors(block, scratch.factors.data()) : 0;
    for (int64_t lane = 0; lane < m; lane += lanes) {
      differentiate(block, scratch, views.scales, lane, factors, factor_row);
    }
    const int64_t first = block.first_key, cols = block.cols();
    const ProductSize of_keys{block.keys, width, m}, of_queries{m, width, block.keys};
    const Rows k = views.k.from(first, 0);
    const auto rows_of = [&](Buffer<real>& sums, int64_t row) {
      return Destination{{sums.data() + row * width, true}, width};
    };
    tile_product(of_queries, {slopes, 1, cols}, k.data, k.stride, rows_of(scratch.dq, 0));
    tile_product(of_keys, {slopes, cols, 1}, q.data, q.stride, rows_of(scratch.dk, first));
    tile_product(of_keys, {weights, cols, 1}, dout.data, dout.stride, rows_of(scratch.dv, first));
  }
}

// Writes the sums of an item, or adds them, to rows from `first_row` and columns from `col` on.
void write(const Destination& all, int64_t first_row, int64_t col, const Buffer<real>& sums,
           int64_t rows, int64_t head_size) {
  for (int64_t i = 0; i < rows && all.c.data; ++i) {
    const Sink row = all.at(first_row + i, col).c;
    map_into(head_size, row.data, row.add, as_it_is, sums.data() + i * round_up(head_size));
  }
}

void clear(Buffer<real>& sums, int64_t rows, int64_t head_size) {
  std::fill_n(sums.data(), rows * round_up(head_size), real(0));
}

}  // namespace

void backward(const Problem& p, Rows q, Rows k, Rows v, const real* out, const real* scales,
              const real* dout, const Gradients& gradients) {
  const int64_t d = p.heads * p.head_size, size = p.head_size, group = p.group();
  const int64_t per_chunk = (p.items_per_chunk() + group - 1) / group;
  parallel_for(p.items() / group, per_chunk, [&](int64_t first, int64_t last) {
    BackwardScratch scratch(p, q, k, {dout, d});
    for (int64_t number = first * group; number < last * group; ++number) {
      const Item item(p, number);
      const Rows douts = Rows{dout, d}.from(item.first_query, item.col);
      const Rows queries = q.from(item.first_query, item.col);
      const Rows keys = k.from(item.first_key, item.key_col);
      const Views views{right_side(queries, item.queries, size, scratch.queries.data()),
                        right_side(keys, item.keys, size, scratch.keys.data()),
                        right_side(douts, item.queries, size, scratch.douts.data()),
                        v.from(item.first_key, item.key_col),
                        Rows{out, d}.from(item.first_query, item.col),
                        scales};
      if (number % group == 0) {
        clear(scratch.dk, item.keys, size);
        clear(scratch.dv, item.keys, size);
      }
      for (int64_t begin = 0; begin < item.queries;) {
        const ScoreBlock block(item, begin);
        clear(scratch.dq, block.queries, size);
        go_back(block, scratch, views);
        write(gradients.q, item.first_query + begin, item.col, scratch.dq, block.queries, size);
        begin += block.queries;
      }
      if ((number + 1) % group != 0) continue;
      // After q, whose gradient is opened first: if operands share a tensor, k and v add to it.
      write(gradients.k, item.first_key, item.key_col, scratch.dk, item.keys, size);
      write(gradients.v, item.first_key, item.key_col, scratch.dv, item.keys, size);
    }
  });
}

}  // namespace calque::attention_kernel
