#pragma once
// Determines which checkpoints are the best so far by training.metric, and which are kept.

#include <cstdint>
#include <span>
#include <vector>

#include "train/config/config.h"
#include "train/metrics/metric_info.h"
#include "train/storage/checkpoint_writer.h"

namespace calque {

// Records the value of a validation at the state's step and updates the counters of early stopping.
// Returns whether the checkpoint of the step is now one of the best.
bool record_score(double value, Better better, const TrainingConfig& training,
                  TrainingState& state);

// The best scores by training.metric, best first.
std::vector<Score> best_scores(const TrainingConfig& training, const TrainingState& state);

// Corrects the best scores after a failed save. Removes the scores of steps without a checkpoint,
// except the state's own step, which can still be saved. Adds back `saved`, the best scores at the
// last successful save. `steps` are the steps with a checkpoint.
void restore_saved_scores(const std::vector<Score>& saved, std::span<const int64_t> steps,
                          Better better, const TrainingConfig& training, TrainingState& state);

// The job that saves the state, with the checkpoints to keep and to link. It keeps the best
// checkpoints by every metric that the run has used, because a later config may choose any of these
// metrics.
CheckpointJob checkpoint_job(const TrainingState& state, const TrainingConfig& training);

}  // namespace calque
