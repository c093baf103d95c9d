#pragma once
// The loss of a translator on a dataset, with teacher forcing.

#include "data/datasets/dataset.h"
#include "nn/models/translator.h"
#include "train/config/config.h"
#include "train/report/records.h"
#include "train/tasks/shared_validation.h"

namespace calque {

// Computes the batches of the share, which have the size of training batches, and returns the sums
// over all target tokens of the dataset.
LossSums evaluate_tokens(Translator model, const Dataset& dataset, const TrainingConfig& training,
                         BatchShare share = {});

}  // namespace calque
