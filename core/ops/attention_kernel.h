#pragma once
// What the forward and the backward pass of attention share: one sentence's head as views into the
// packed tensors, the score of a block of queries with a block of keys, and the scratch memory.
//
// Queries are taken in blocks, keys too, as in FlashAttention (Dao et al. 2022): the scores of a
// block fit the second cache, and no more of them ever exist.

#include "core/block_product.h"
#include "core/ops.h"
#include "core/ops/dropout_mask.h"

namespace calque::attention_kernel {

constexpr int64_t query_block = 48;  // a multiple of the tile's rows
constexpr int64_t key_block = 256;  // a multiple of the tile's columns: the keys' panels have those
constexpr int64_t score_row = key_block + cache_line;  // not 1 KB: what lies below would compete
static_assert(query_block % tile_rows == 0 && key_block % tile_cols == 0);

// Rows to read, `stride` apart.
struct Rows {
  const real* data = nullptr;
  int64_t stride = 0;
  Rows from(int64_t row, int64_t col) const { return {data + row * stride + col, stride}; }
};

// Where rows are written or added.
struct RowSink {
  real* data = nullptr;
  int64_t stride = 0;
  bool add = false;
  RowSink from(int64_t row, int64_t col) const { return {data + row * stride + col, stride, add}; }
};

// The whole problem: what the op was given.
struct Problem {
  Segments queries, keys;
  int64_t heads, head_size;
  bool causal;
  real scale;
  DropoutMask mask;
  int64_t mask_row;  // elements of the mask a row of scores has

  int64_t items() const { return queries.count() * heads; }
  // Items of a parallel piece: about the same work whatever the lengths.
  int64_t piece() const;
};

// One sentence and head of it.
struct Item {
  Item(const Problem& problem, int64_t number);
  const Problem* problem;
  int64_t head, col;  // the head's first column
  int64_t first_query, first_key;
  int64_t queries, keys;

  // How many keys query i sees; they are the first ones.
  int64_t visible(int64_t i) const {
    return problem->causal ? std::clamp<int64_t>(i + 1 + keys - queries, 0, keys) : keys;
  }
  int64_t mask_row_of(int64_t i) const {
    return ((first_query + i) * problem->heads + head) * problem->mask_row;
  }
};

// The transpose of n rows of head_size numbers, in panels: panel p holds columns [p panel, ...) as
// head_size contiguous rows. Columns beyond n are zero, up to round_up(n).
void transpose_into_panels(Rows rows, int64_t n, int64_t head_size, real* panels);

// scores (m x round_up(n), rows score_row apart) = the m rows of a times columns [first, first + n)
// of the panels; `first` is a multiple of key_block, `total` the columns of all panels.
void multiply_by_panels(Rows a, int64_t m, const real* panels, int64_t first, int64_t n,
                        int64_t total, int64_t head_size, real* scores);

// n rows as a product's right side: where they lie, or a copy with zeros behind each, where they
// are no whole vectors, or so many and so far apart that they compete for the same places of the
// first cache. The copy needs room for copy_size(rows, n, head_size) numbers.
Rows right_side(Rows rows, int64_t n, int64_t head_size, real* copy);
int64_t copy_size(Rows rows, int64_t n, int64_t head_size);

// out [query tokens, d], and what makes weights of scores again, [query tokens, heads, 2]: each
// row's maximum m and the log of its sum of exp(score - m), which is infinity where there is
// nothing to attend to. (Their sum would do, but where m is large it has no digits left for the
// log.)
void forward(const Problem& problem, Rows q, Rows k, Rows v, real* out, real* scales);

// The gradients of q, k and v; a sink without memory is left out.
struct Gradients {
  RowSink q, k, v;
};
void backward(const Problem& problem, Rows q, Rows k, Rows v, const real* out, const real* scales,
              const real* dout, const Gradients& gradients);

}  // namespace calque::attention_kernel
