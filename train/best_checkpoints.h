#pragma once
// Which checkpoints are the best so far by the metric that the config asks for, and which are kept.

#include "train/config/config.h"
#include "train/storage/checkpoint_writer.h"

namespace calque {

// After a validation at the state's step, which reached `value`: notes it, for early stopping too.
// Returns whether the checkpoint of this step is to be kept as one of the best.
bool remember_best(double value, const TrainingConfig& training, TrainingState& state);

// A save of the state, and what is kept and linked after it: the best by each metric that the run
// has had, for one that is asked for later, or again.
CheckpointJob checkpoint_job(const TrainingState& state, const TrainingConfig& training);

}  // namespace calque
