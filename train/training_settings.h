#pragma once
// From the section `training` of a config to the options of the optimiser, the schedule and the
// averaged weights.

#include "core/blas.h"
#include "optim/optimizer.h"
#include "optim/schedule.h"
#include "optim/weight_average.h"
#include "train/config/config.h"

namespace calque {

OptimizerSettings optimizer_settings(const TrainingConfig& training);
// What the products of a training step multiply.
Precision product_precision(const TrainingConfig& training);
// The schedule of a run of the config's length.
Schedule schedule_of(const Config& config);
WeightAverageSettings weight_average_settings(const TrainingConfig& training);

}  // namespace calque
