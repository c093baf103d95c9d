#pragma once
// Attention of single queries over cached keys and values, which are read through pointers: nothing
// is copied when hypotheses are reordered.

#include <vector>

#include "core/ops.h"

namespace calque {

// The rows that each query attends to. A row has the keys of all heads from index 0 on and their
// values from index `value_offset` on.
struct CachedRows {
  std::vector<const real*> rows;   // the rows of query 0, then of query 1, ...; one or more each
  std::vector<int64_t> starts{0};  // query r has rows [starts[r], starts[r + 1])
  int64_t value_offset = 0;
};

// softmax(scale q k^T) v of each head, as attention() computes it: q [queries, d] -> [queries, d].
// Rows of q are q_stride apart. Of the options, dropout, `causal` and `sparsity` are not used.
Tensor cached_attention(const real* q, int64_t q_stride, int64_t d, const AttentionOptions& options,
                        const CachedRows& cached);

}  // namespace calque
