#pragma once
// What the forward and the backward pass of attention share: one head of one sentence as views into
// the packed tensors, and the scores of a block of queries with a block of keys.
//
// Queries and keys are processed in blocks, as in FlashAttention (Dao et al. 2022): only the scores
// of one block exist at a time, and they fit in the L2 cache. Scores are stored transposed, a key
// in each row, so that each lane of a vector belongs to one query. Softmax then takes the maximum
// and the sum over a query's scores without a reduction across lanes.
//
// Sparse attention visits the same blocks of queries, but only the spans of keys that some query of
// the block sees. Global keys and random blocks are spans without a mask; the span of the windows
// is masked key by key.

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/ops.h"
#include "core/ops/dropout_mask.h"
#include "core/products/block_product.h"
#include "core/products/tile_size.h"
#include "core/simd/math.h"

namespace calque::attention_kernel {

constexpr int64_t query_block = 64, key_block = 240;
static_assert(query_block % tile_cols == 0 && key_block % tile_rows == 0);

// Rows to read, `stride` numbers apart.
struct Rows {
  const real* data = nullptr;
  int64_t stride = 0;
  Rows from(int64_t row, int64_t col) const { return {data + row * stride + col, stride}; }
};

// The factor of the scores.
inline real score_scale(const AttentionOptions& options, int64_t head_size) {
  if (options.scale != 0) return options.scale;
  return 1 / std::sqrt(static_cast<real>(std::max<int64_t>(1, head_size)));
}

// The arguments of the op.
struct Problem {
  Segments queries, keys;
  int64_t heads, key_heads, head_size;
  bool causal;
  Sparsity sparsity;
  real scale, cap;
  DropoutMask mask;
  int64_t most_queries, most_keys;  // of a sentence
  int64_t mask_row;                 // mask elements of one key of a head, one for each query

  int64_t items() const { return queries.count() * heads; }
  // The number of items in a parallel chunk: about the same work for all lengths of sentences.
  int64_t items_per_chunk() const;
  // The number of heads that share keys and values; their items have consecutive numbers.
  int64_t group() const { return heads / key_heads; }
};

// One head of one sentence.
struct Item {
  Item(const Problem& problem, int64_t number);
  const Problem* problem;
  int64_t head, col, key_col;  // the head's first columns in queries, and in keys and values
  int64_t first_query, first_key;
  int64_t queries, keys;

  // How many keys the causal mask lets query i see; they are the first ones.
  int64_t visible(int64_t i) const {
    return problem->causal ? std::clamp<int64_t>(i + 1 + keys - queries, 0, keys) : keys;
  }
  bool sparse() const { return problem->sparsity.restricts(keys); }
  // The keys that query i sees.
  std::vector<KeyRange> seen(int64_t i) const;
};

// Consecutive keys to visit.
struct KeySpan {
  int64_t begin = 0, end = 0;
  bool window = false;  // a query sees the keys near it; else all that the causal mask allows
};

// A block of an item's queries and a block of its keys; the block of keys is empty until
// next_keys(). The scores are a matrix with a key in each row and a query in each column; rows are
// padded to whole vectors.
struct ScoreBlock {
  ScoreBlock(const Item& item, int64_t begin);
  // Advances to the next keys; the first call selects the first keys. Returns false if the queries
  // see no further key.
  bool next_keys();
  // Whether one block holds all keys that the queries see.
  bool has_one_block() const { return later.empty() && span.end - span.begin <= key_block; }

  int64_t cols() const { return round_up(queries); }
  // The index of the first query in [heads, query tokens].
  int64_t index() const {
    return item->head * item->problem->queries.tokens() + item->first_query + first_query;
  }

  const Item* item;
  int64_t first_query, queries;
  KeySpan span;                // contains the keys
  std::vector<KeySpan> later;  // the following spans, in reverse order
  int64_t first_key = 0, keys = 0;

 private:
  void find_spans();
};

// The transpose of n rows of head_size numbers, in panels: each holds tile_cols columns as
// head_size contiguous rows. Columns from n to round_up(n) are zero.
void transpose_into_panels(Rows rows, int64_t n, int64_t head_size, real* panels);

// Each score becomes cap tanh(score / cap) if there is a cap.
inline Vec capped(Vec score, real cap) { return cap == 0 ? score : cap * tanh(score / cap); }
inline void cap_scores(real cap, int64_t count, real* scores) {
  if (cap == 0) return;
  map(
      count, scores, [=](Vec score) { return capped(score, cap); }, scores);
}

// scores = scale times the block's rows of `keys` times the panels of its queries.
void multiply_by_panels(const ScoreBlock& block, Rows keys, const real* panels, real scale,
                        real* scores);

// Writes `number` where a query does not see the key.
void mask_unseen(const ScoreBlock& block, real number, real* scores);

// The dropout factors of the block, in rows of the returned length.
int64_t dropout_factors(const ScoreBlock& block, real* factors);
inline int64_t most_factors(const Problem& p) {
  return p.mask.active() ? key_block * query_block : 0;
}

// n rows as the right side of a product: in place, or a copy padded with zeros if head_size is no
// multiple of a vector or the rows would conflict in the L1 cache. The copy needs room for
// copy_size(rows, n, head_size) numbers.
Rows right_side(Rows rows, int64_t n, int64_t head_size, real* copy);
int64_t copy_size(Rows rows, int64_t n, int64_t head_size);

// out [query tokens, d], and the scales that turn scores into weights, [2, heads, query tokens]:
// each query's maximum m, and the log of its sum of exp(score - m), which is infinity where it sees
// no key. (m + log would lose the digits of the log where m is large.)
void forward(const Problem& problem, Rows q, Rows k, Rows v, real* out, real* scales);

// The destinations of the gradients of q, k and v; a destination without memory is skipped.
struct Gradients {
  Destination q, k, v;
};
void backward(const Problem& problem, Rows q, Rows k, Rows v, const real* out, const real* scales,
              const real* dout, const Gradients& gradients);

}  // namespace calque::attention_kernel
