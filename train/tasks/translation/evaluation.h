#pragma once
// The loss of a translator on a dataset, with teacher forcing.

#include <functional>

#include "data/dataset.h"
#include "nn/translator.h"
#include "train/config/config.h"
#include "train/report/records.h"

namespace calque {

// Sums over all target tokens of the dataset, in batches of the size that training has; `between`
// is called between batches.
LossSums evaluate_tokens(Translator model, const Dataset& dataset, const TrainingConfig& training,
                         const std::function<void()>& between = {});

}  // namespace calque
