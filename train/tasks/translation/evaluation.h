#pragma once
// How good a model is on a dataset with teacher forcing.

#include <functional>

#include "data/dataset.h"
#include "nn/transformer.h"
#include "train/report/records.h"

namespace calque {

// Sums over the target tokens of the whole dataset, in batches of at most `batch_tokens` of them;
// `between` is called between batches.
LossSums evaluate_tokens(const Transformer& model, const Dataset& dataset, double label_smoothing,
                         int64_t batch_tokens, const std::function<void()>& between = {});

}  // namespace calque
