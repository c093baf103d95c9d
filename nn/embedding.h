#pragma once
// A token becomes a vector: row `id` of a table, times sqrt(d_model) (the paper, section 3.4).
// Without the factor the table's small numbers would drown in the positions that are added next.
// Tying two embeddings is copying the struct: both then hold the same table.

#include <cmath>
#include <span>

#include "core/ops.h"
#include "core/parameters.h"
#include "nn/initial.h"

namespace calque {

struct Embedding {
  Tensor weight;  // [vocabulary, d_model]

  Embedding(const Path& at, int64_t vocabulary, int64_t d_model)
      : weight(at.parameter("weight", {vocabulary, d_model}, Role::embedding,
                            embedding_normal(d_model))) {}

  // [tokens] -> [tokens, d_model]
  Tensor operator()(std::span<const int32_t> ids) const {
    return embedding(weight, ids, std::sqrt(static_cast<real>(weight.cols())));
  }
};

}  // namespace calque
