#pragma once
// Estimates of a run before its first step, from a few measured updates and the sizes of its
// epochs.

#include <vector>

#include "train/config/config.h"
#include "train/step/learner.h"
#include "train/task.h"

namespace calque {

// The medians of a few updates.
struct UpdateCost {
  double seconds = 0, flops = 0, terms = 0;
};

// Runs a few steps with a learning rate of 0, which change the state of the learner's optimizer,
// but no weights. The first step, which allocates memory, is not counted.
UpdateCost measured_update(const TrainingConfig& training, Learner& learner, WorkStream& stream);

double updates_in(const EpochSize& epoch, const TrainingConfig& training);
// The number of updates in the first `epochs` epochs.
double updates_of(double epochs, const std::vector<EpochSize>& sizes,
                  const TrainingConfig& training);

// The number of updates until the first limit in updates, epochs or tokens; 0 without such a limit.
double updates_until(const TrainingConfig& training, const std::vector<EpochSize>& sizes,
                     const UpdateCost& cost);
// The same for all limits, with the measured speed for a limit in time.
double expected_updates(const TrainingConfig& training, const std::vector<EpochSize>& sizes,
                        const UpdateCost& cost);

}  // namespace calque
