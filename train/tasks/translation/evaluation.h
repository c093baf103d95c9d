#pragma once
// The loss of a translator on a dataset, with teacher forcing.

#include "data/dataset.h"
#include "nn/translator.h"
#include "train/config/config.h"
#include "train/report/records.h"
#include "train/tasks/shared_validation.h"

namespace calque {

// Sums over all target tokens of the dataset, in batches of the size that training has: those of
// the share, summed over all.
LossSums evaluate_tokens(Translator model, const Dataset& dataset, const TrainingConfig& training,
                         BatchShare share = {});

}  // namespace calque
