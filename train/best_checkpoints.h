#pragma once
// Which checkpoints are the best so far by training.metric, and which are kept.

#include <cstdint>
#include <span>
#include <vector>

#include "train/config/config.h"
#include "train/metrics/metric_info.h"
#include "train/storage/checkpoint_writer.h"

namespace calque {

// Records a validation with this value at the state's step, also for early stopping. Returns
// whether the checkpoint of the step is now one of the best.
bool remember_best(double value, Better better, const TrainingConfig& training,
                   TrainingState& state);

// The best by training.metric.
std::vector<Score> best_scores(const TrainingConfig& training, const TrainingState& state);

// After a failed save: removes the scores of steps without a checkpoint, except the state's own
// step, which can still be saved, and restores the best scores at the last successful save,
// `saved`. `steps` are the steps with a checkpoint.
void forget_unsaved_best(const std::vector<Score>& saved, std::span<const int64_t> steps,
                         Better better, const TrainingConfig& training, TrainingState& state);

// A save of the state, with the checkpoints to keep and link. It keeps the best by every metric
// that the run has used, since a later config may choose any of them.
CheckpointJob checkpoint_job(const TrainingState& state, const TrainingConfig& training);

}  // namespace calque
