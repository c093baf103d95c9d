#pragma once
// What the forward and the backward pass of attention share: one sentence's head as views into the
// packed tensors, the score of a block of queries with a block of keys, and the scratch memory.
//
// Queries are taken in blocks, keys too, as in FlashAttention (Dao et al. 2022): the scores of a
// block fit the second cache, and no more of them ever exist. They are kept transposed, a key a
// row, so that each lane of a vector has a query of its own: what softmax needs of a query's
// scores, their maximum and their sum, then comes without ever summing over the lanes.

#include <algorithm>
#include <array>

#include "core/block_product.h"
#include "core/ops.h"
#include "core/ops/dropout_mask.h"

namespace calque::attention_kernel {

constexpr int64_t query_block =
    64;  // a multiple of the tile's columns: the queries' panels have those
constexpr int64_t key_block = 240;  // a multiple of the tile's rows
static_assert(query_block % tile_cols == 0 && key_block % tile_rows == 0);

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
  int64_t most_queries, most_keys;  // of a sentence
  int64_t mask_row;  // elements of the mask that a key of a head has, one for each query

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
};

// Some of an item's queries, and with them some of its keys, none at first. Its scores are a matrix
// with a key in each row and a query in each column; columns beyond the queries, up to whole
// vectors, count for nothing.
struct Block {
  Block(const Item& item, int64_t begin);
  // Goes on to the first keys, or to the next ones; false if no query sees any of those.
  bool next_keys();

  int64_t cols() const { return round_up(queries); }
  // Where the first query is in [heads, query tokens].
  int64_t place() const {
    return item->head * item->problem->queries.tokens() + item->first_query + first_query;
  }

  const Item* item;
  int64_t first_query, queries;
  int64_t seen;  // keys that any of the queries sees: the first ones
  int64_t first_key = 0, keys = 0;
};

// The transpose of n rows of head_size numbers, in panels: panel p holds columns [p panel, ...) as
// head_size contiguous rows. Columns beyond n are zero, up to round_up(n).
void transpose_into_panels(Rows rows, int64_t n, int64_t head_size, real* panels);

// scores = scale times the block's rows of `keys` times the panels of its queries.
void multiply_by_panels(const Block& block, Rows keys, const real* panels, real scale,
                        real* scores);

// Puts `number` where a query does not see the key.
void hide(const Block& block, real number, real* scores);

// The dropout factors of the block, in rows of the returned length.
int64_t dropout_factors(const Block& block, real* factors);
constexpr int64_t most_factors = key_block * query_block;

// n rows as a product's right side: where they lie, or a copy with zeros behind each, where they
// are no whole vectors, or so many and so far apart that they compete for the same places of the
// first cache. The copy needs room for copy_size(rows, n, head_size) numbers.
Rows right_side(Rows rows, int64_t n, int64_t head_size, real* copy);
int64_t copy_size(Rows rows, int64_t n, int64_t head_size);

// Arrays of these sizes in one piece of memory, each from a cache line on: short sentences make
// many pieces of work, and each asks the pool once.
template <size_t count>
std::array<real*, count> arrays_in(Buffer<real>& memory, const std::array<int64_t, count>& sizes) {
  int64_t total = 0;
  for (const int64_t size : sizes) total += round_up(size, cache_line);
  memory = Buffer<real>(total);
  std::array<real*, count> arrays;
  real* next = memory.data();
  for (size_t i = 0; i < count; ++i) {
    arrays[i] = next;
    next += round_up(sizes[i], cache_line);
  }
  return arrays;
}

// out [query tokens, d], and what makes weights of scores again, [2, heads, query tokens]: each
// query's maximum m and the log of its sum of exp(score - m), which is infinity where there is
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
