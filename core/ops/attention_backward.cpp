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
  Scratch(int64_t most_queries, int64_t most_keys, int64_t head_size, Rows q, Rows k, Rows dout)
      : key_panels(round_up(most_keys) * head_size),
        value_panels(round_up(most_keys) * head_size),
        weights(query_block * score_row),
        slopes(query_block * score_row),
        dq(query_block * round_up(head_size)),
        dk(most_keys * round_up(head_size)),
        dv(most_keys * round_up(head_size)),
        queries(copy_size(q, most_queries, head_size)),
        keys(copy_size(k, most_keys, head_size)),
        douts(copy_size(dout, most_queries, head_size)) {}
  Buffer<real> key_panels, value_panels, weights, slopes, dq, dk, dv;
  Buffer<real> queries, keys, douts;  // copies, where right_side makes them
};

// One head of one sentence: views of what is read.
struct Views {
  Rows q, k, dout;  // as right_side gives them
  const real* out;
  const real* scales;
  int64_t d;
};

// weights: scores -> F P; slopes: dO V^T -> dS. Both for row i of the block, keys [first, first +
// count).
void row(const Item& item, Scratch& scratch, const Views& views, int64_t i, int64_t query,
         int64_t first, int64_t count) {
  const Problem& p = *item.problem;
  real* weights = scratch.weights.data() + i * score_row;
  real* slopes = scratch.slopes.data() + i * score_row;
  const int64_t seen = std::clamp<int64_t>(item.visible(query) - first, 0, count);
  const int64_t token = item.first_query + query;
  const real* kept = views.scales + 2 * (token * p.heads + item.head);
  const real most = kept[0], log_total = kept[1];
  const real* out = views.out + token * views.d + item.col;
  const real dot = sum(sum_lanes(
      p.head_size, [](Vec a, Vec b) { return a * b; }, out,
      views.dout.data + query * views.dout.stride));
  alignas(64) real factors[key_block];
  if (p.mask.active()) p.mask.factors(item.mask_row_of(query) + first, seen, factors);
  const real scale = p.scale;
  for (int64_t j = 0; j < round_up(count); j += lanes) {
    const Bits inside = first_lanes(seen - j);
    const Vec w = inside ? exp((load(weights + j) * scale - most) - log_total) : Vec{};
    const Vec factor = p.mask.active() ? (inside ? load(factors + j) : Vec{}) : broadcast(1);
    store(weights + j, w * factor);
    store(slopes + j, inside ? w * (factor * load(slopes + j) - dot) * scale : Vec{});
  }
}

void block(const Item& item, Scratch& scratch, const Views& views, int64_t begin) {
  const Problem& p = *item.problem;
  const int64_t m = std::min(query_block, item.queries - begin), width = round_up(p.head_size);
  const Rows q = views.q.from(begin, 0), dout = views.dout.from(begin, 0);
  std::fill_n(scratch.dq.data(), m * width, real(0));
  const int64_t seen = item.visible(begin + m - 1);
  for (int64_t first = 0; first < seen; first += key_block) {
    const int64_t count = std::min(key_block, seen - first);
    multiply_by_panels(q, m, scratch.key_panels.data(), first, count, item.keys, p.head_size,
                       scratch.weights.data());
    multiply_by_panels(dout, m, scratch.value_panels.data(), first, count, item.keys, p.head_size,
                       scratch.slopes.data());
    for (int64_t i = 0; i < m; ++i) row(item, scratch, views, i, begin + i, first, count);
    const real *weights = scratch.weights.data(), *slopes = scratch.slopes.data();
    tile_product({count, width, m}, {weights, 1, score_row}, dout.data, dout.stride,
                 {{scratch.dv.data() + first * width, true}, width});
    tile_product({count, width, m}, {slopes, 1, score_row}, q.data, q.stride,
                 {{scratch.dk.data() + first * width, true}, width});
    tile_product({m, width, count}, {slopes, score_row, 1}, views.k.data + first * views.k.stride,
                 views.k.stride, {{scratch.dq.data(), true}, width});
  }
}

void write(RowSink to, const real* from, int64_t rows, int64_t head_size) {
  if (!to.data) return;
  for (int64_t i = 0; i < rows; ++i) {
    map_into(head_size, to.data + i * to.stride, to.add, as_it_is, from + i * round_up(head_size));
  }
}

}  // namespace

void backward(const Problem& p, Rows q, Rows k, Rows v, const real* out, const real* scales,
              const real* dout, const Gradients& gradients) {
  const int64_t d = p.heads * p.head_size, size = p.head_size, width = round_up(size);
  const int64_t most_queries = p.queries.longest(), most_keys = p.keys.longest();
  parallel_for(p.items(), p.piece(), [&](int64_t first, int64_t last) {
    Scratch scratch(most_queries, most_keys, size, q, k, {dout, d});
    for (int64_t number = first; number < last; ++number) {
      const Item item(p, number);
      const Rows queries = q.from(item.first_query, item.col),
                 keys = k.from(item.first_key, item.col);
      const Rows douts{dout + item.first_query * d + item.col, d};
      transpose_into_panels(keys, item.keys, size, scratch.key_panels.data());
      transpose_into_panels(v.from(item.first_key, item.col), item.keys, size,
                            scratch.value_panels.data());
      const Views views{right_side(queries, item.queries, size, scratch.queries.data()),
                        right_side(keys, item.keys, size, scratch.keys.data()),
                        right_side(douts, item.queries, size, scratch.douts.data()),
                        out,
                        scales,
                        d};
      std::fill_n(scratch.dk.data(), item.keys * width, real(0));
      std::fill_n(scratch.dv.data(), item.keys * width, real(0));
      for (int64_t begin = 0; begin < item.queries; begin += query_block) {
        block(item, scratch, views, begin);
        write(gradients.q.data ? gradients.q.from(item.first_query + begin, item.col) : RowSink{},
              scratch.dq.data(), std::min(query_block, item.queries - begin), size);
      }
      write(gradients.k.data ? gradients.k.from(item.first_key, item.col) : RowSink{},
            scratch.dk.data(), item.keys, size);
      write(gradients.v.data ? gradients.v.from(item.first_key, item.col) : RowSink{},
            scratch.dv.data(), item.keys, size);
    }
  });
}

}  // namespace calque::attention_kernel
