// The backward pass of attention. The weights P of a block are computed again from the scores and
// the kept maxima and log-sums; with F the dropout factors and D_i = dO_i . O_i,
//
//   dV += (F P)^T dO,   dS = scale P (F (dO V^T) - D),   dQ += dS K,   dK += dS^T Q
//
// One sentence's head is one item of work, so every sum is made by one thread in one order.

#include "core/ops/attention_kernel.h"
#include "core/parallel.h"
#include "core/simd_math.h"

namespace calque::attention_kernel {
namespace {

struct Scratch {
  Scratch(const Problem& p, Rows q, Rows k, Rows dout) {
    const int64_t size = p.head_size, width = round_up(size);
    const auto arrays = arrays_in<11>(
        memory, {query_block * size, query_block * size, key_block * query_block,
                 key_block * query_block, p.mask.active() ? most_factors : 0, query_block * width,
                 p.most_keys * width, p.most_keys * width, copy_size(q, p.most_queries, size),
                 copy_size(k, p.most_keys, size), copy_size(dout, p.most_queries, size)});
    query_panels = arrays[0], dout_panels = arrays[1], weights = arrays[2], slopes = arrays[3];
    factors = arrays[4], dq = arrays[5], dk = arrays[6], dv = arrays[7];
    queries = arrays[8], keys = arrays[9], douts = arrays[10];
  }
  Buffer<real> memory;
  real *query_panels, *dout_panels, *weights, *slopes, *factors, *dq, *dk, *dv;
  real *queries, *keys, *douts;  // copies, where right_side makes them
  alignas(64) real dots[query_block] = {};
};

// One head of one sentence: views of what is read.
struct Views {
  Rows q, k, dout;  // as right_side gives them
  Rows v, out;
  const real* scales;
};

// In the lanes of the queries: weights: scores -> F P; slopes: dO V^T -> dS.
void differentiate(const Block& block, Scratch& scratch, const real* scales, int64_t lane,
                   const real* factors, int64_t factor_row) {
  const Problem& p = *block.item->problem;
  const int64_t count = std::min(lanes, block.queries - lane), cols = block.cols();
  const real* kept = scales + block.place() + lane;
  const Vec most = load_first(kept, count);
  const Vec log_total = load_first(kept + p.heads * p.queries.tokens(), count);
  const Vec dot = load(scratch.dots + lane);
  real *weights = scratch.weights + lane, *slopes = scratch.slopes + lane;
  for (int64_t j = 0; j < block.keys; ++j, weights += cols, slopes += cols) {
    const Vec w = exp((load(weights) - most) - log_total);
    const Vec factor = factors ? load(factors + j * factor_row + lane) : broadcast(1);
    store(weights, w * factor);
    store(slopes, w * (factor * load(slopes) - dot) * p.scale);
  }
}

// The gradients of one block of queries: dq is their own, dk and dv those of the item's keys.
void go_back(Block block, Scratch& scratch, const Views& views, const Gradients& d, int64_t cols) {
  const Problem& p = *block.item->problem;
  const int64_t m = block.queries, size = p.head_size;
  const Rows q = views.q.from(block.first_query, 0), dout = views.dout.from(block.first_query, 0);
  transpose_into_panels(q, m, size, scratch.query_panels);
  transpose_into_panels(dout, m, size, scratch.dout_panels);
  for (int64_t i = 0; i < m; ++i) {
    const auto product = [](Vec a, Vec b) { return a * b; };
    scratch.dots[i] = sum(sum_lanes(size, product, views.out.from(block.first_query + i, 0).data,
                                    dout.from(i, 0).data));
  }
  while (block.next_keys()) {
    real *weights = scratch.weights, *slopes = scratch.slopes;
    multiply_by_panels(block, views.k, scratch.query_panels, p.scale, weights);
    multiply_by_panels(block, views.v, scratch.dout_panels, 1, slopes);
    hide(block, minus_infinity, weights);
    hide(block, 0, slopes);
    const real* factors = p.mask.active() ? scratch.factors : nullptr;
    const int64_t factor_row = factors ? dropout_factors(block, scratch.factors) : 0;
    for (int64_t lane = 0; lane < m; lane += lanes) {
      differentiate(block, scratch, views.scales, lane, factors, factor_row);
    }
    const RowSink dk = d.k.from(block.first_key, 0), dv = d.v.from(block.first_key, 0);
    const Rows k = views.k.from(block.first_key, 0);
    const ProductSize of_keys{block.keys, cols, m}, of_queries{m, cols, block.keys};
    // In the order in which the op opened its sinks: where operands are one tensor, the first
    // writes and the others add.
    tile_product(of_queries, {slopes, 1, block.cols()}, k.data, k.stride,
                 {{d.q.data, d.q.add || block.first_key > 0}, d.q.stride});
    tile_product(of_keys, {slopes, block.cols(), 1}, q.data, q.stride,
                 {{dk.data, dk.add}, dk.stride});
    tile_product(of_keys, {weights, block.cols(), 1}, dout.data, dout.stride,
                 {{dv.data, dv.add}, dv.stride});
  }
}

void write(RowSink to, const real* from, int64_t rows, int64_t head_size) {
  if (!to.data) return;
  for (int64_t i = 0; i < rows; ++i) {
    map_into(head_size, to.data + i * to.stride, to.add, as_it_is, from + i * round_up(head_size));
  }
}

// Gradients that more than one block adds to, or that nobody wants all of, are gathered before they
// are written.
void gather(const Item& item, Scratch& scratch, const Views& views, const Gradients& to) {
  const int64_t size = item.problem->head_size, width = round_up(size);
  real *const dq = scratch.dq, *const dk = scratch.dk, *const dv = scratch.dv;
  std::fill_n(dk, item.keys * width, real(0));
  std::fill_n(dv, item.keys * width, real(0));
  for (int64_t begin = 0; begin < item.queries; begin += query_block) {
    const Block block(item, begin);
    std::fill_n(dq, block.queries * width, real(0));
    go_back(block, scratch, views, {{dq, width, true}, {dk, width, true}, {dv, width, true}},
            width);
    write(to.q.data ? to.q.from(begin, 0) : RowSink{}, dq, block.queries, size);
  }
  write(to.k, dk, item.keys, size);
  write(to.v, dv, item.keys, size);
}

}  // namespace

void backward(const Problem& p, Rows q, Rows k, Rows v, const real* out, const real* scales,
              const real* dout, const Gradients& gradients) {
  const int64_t d = p.heads * p.head_size, size = p.head_size;
  const auto of_item = [](RowSink all, int64_t first, int64_t col) {
    return all.data ? all.from(first, col) : RowSink{};
  };
  parallel_for(p.items(), p.piece(), [&](int64_t first, int64_t last) {
    Scratch scratch(p, q, k, {dout, d});
    for (int64_t number = first; number < last; ++number) {
      const Item item(p, number);
      const Rows douts = Rows{dout, d}.from(item.first_query, item.col);
      const Rows queries = q.from(item.first_query, item.col);
      const Rows keys = k.from(item.first_key, item.col);
      const Views views{right_side(queries, item.queries, size, scratch.queries),
                        right_side(keys, item.keys, size, scratch.keys),
                        right_side(douts, item.queries, size, scratch.douts),
                        v.from(item.first_key, item.col),
                        Rows{out, d}.from(item.first_query, item.col),
                        scales};
      const Gradients to{of_item(gradients.q, item.first_query, item.col),
                         of_item(gradients.k, item.first_key, item.col),
                         of_item(gradients.v, item.first_key, item.col)};
      const bool one_block = 0 < item.queries && item.queries <= query_block && 0 < item.keys &&
                             item.keys <= key_block;
      if (one_block && to.q.data && to.k.data && to.v.data) {
        go_back(Block(item, 0), scratch, views, to, size);
      } else {
        gather(item, scratch, views, to);
      }
    }
  });
}

}  // namespace calque::attention_kernel
