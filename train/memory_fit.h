#pragma once
// Fitting a step into memory before it starts: into how many pieces its batches must be split.

#include "nn/summary.h"
#include "train/config/config.h"

namespace calque {

// The batch that a summary of this config's model is for.
SummaryBatch summary_batch(const Config& config);

// 1 without a training.memory_limit. An Error if not even the smallest pieces would fit.
int64_t pieces_for_memory(const Config& config, const TransformerOptions& options);

}  // namespace calque
