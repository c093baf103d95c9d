#pragma once
// The loss of a translator on a dataset, with teacher forcing.

#include <functional>

#include "data/dataset.h"
#include "nn/transformer.h"
#include "train/report/records.h"

namespace calque {

// Sums over all target tokens of the dataset, in batches of at most `batch_tokens`; `between` is
// called between batches.
LossSums evaluate_tokens(const Transformer& model, const Dataset& dataset, double label_smoothing,
                         int64_t batch_tokens, const std::function<void()>& between = {});

}  // namespace calque
