#pragma once
// Attention of single queries over keys and values that were computed at earlier steps and lie
// where they were computed: nothing is copied when hypotheses are re-ordered, only the way to the
// rows.

#include <functional>
#include <span>
#include <vector>

#include "core/segments.h"
#include "core/tensor.h"

namespace calque {

// The rows that each query sees: for query r, pointers to its keys' rows, oldest first. A row holds
// the keys of all heads, and `value_offset` numbers further on the values.
struct CachedRows {
  std::vector<const real*> rows;   // of query 0, then of query 1, ...; each sees one at least
  std::vector<int64_t> starts{0};  // query r's are [starts[r], starts[r + 1])
  int64_t value_offset = 0;
};

// q [queries, >= d], rows `q_stride` apart -> [queries, d]; softmax(q k^T / sqrt(head size)) v a
// head.
Tensor cached_attention(const real* q, int64_t q_stride, int64_t d, int64_t heads,
                        const CachedRows& cached);

}  // namespace calque
