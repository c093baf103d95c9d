#pragma once
// Converts the section `training` of a config to the options of the optimizer, the schedule and the
// weight average.

#include "core/products/blas.h"
#include "optim/optimizer.h"
#include "optim/schedule.h"
#include "optim/weight_average.h"
#include "train/config/config.h"

namespace calque {

OptimizerSettings optimizer_settings(const TrainingConfig& training);
// The optimizer of the update that all parts make together; with training.outer_steps, of the outer
// step.
OptimizerSettings joint_settings(const TrainingConfig& training);
// The share of each dropout probability that applies after so many epochs
// (training.dropout_epochs).
real risen_dropout(const Config& config, double epochs);
// The precision of the matrix products of a training step.
Precision product_precision(const TrainingConfig& training);
Schedule schedule_of(const Config& config);
WeightAverageSettings weight_average_settings(const TrainingConfig& training);

}  // namespace calque
