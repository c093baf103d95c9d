#pragma once
// Attention of single queries over cached keys and values, which are read through pointers: nothing
// is copied when hypotheses are reordered.

#include <vector>

#include "core/tensor.h"

namespace calque {

// The rows that each query attends to. A row has the keys of all heads from index 0 on and their
// values from index `value_offset` on.
struct CachedRows {
  std::vector<const real*> rows;   // the rows of query 0, then of query 1, ...; one or more each
  std::vector<int64_t> starts{0};  // query r has rows [starts[r], starts[r + 1])
  int64_t value_offset = 0;
};

// softmax(q k^T / sqrt(head size)) v of each head: q [queries, d] -> [queries, d]. Rows of q are
// q_stride apart.
Tensor cached_attention(const real* q, int64_t q_stride, int64_t d, int64_t heads,
                        const CachedRows& cached);

}  // namespace calque
