#pragma once
// The parts of an Explanation that every kind of model has.

#include <string>
#include <vector>

#include "core/tensor.h"
#include "decode/explanation.h"
#include "nn/attention.h"
#include "nn/positions.h"

namespace calque {

// Adds the heads of the attention of that name in a pass over one sentence.
void add_heads(std::vector<ExplainedHead>& heads, int layer, const AttentionRecord& record,
               const std::string& name);

// The rows of logits [tokens, vocabulary].
std::vector<std::vector<float>> rows_of(const Tensor& logits);

// The first rows of the table that is added to embeddings; empty for kinds that add nothing.
ExplainedMatrix explained_positions(const LayerOptions& options, const Positions& positions);

}  // namespace calque
