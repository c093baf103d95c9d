#pragma once
// Which checkpoints are the best so far by training.metric, and which are kept.

#include <cstdint>
#include <span>
#include <vector>

#include "train/config/config.h"
#include "train/metrics/metric_info.h"
#include "train/storage/checkpoint_writer.h"

namespace calque {

// Notes a validation at the state's step that reached `value`, for early stopping too. Returns
// whether the checkpoint of this step is to be kept as one of the best.
bool remember_best(double value, Better better, const TrainingConfig& training,
                   TrainingState& state);

// The best by training.metric.
std::vector<Score> best_scores(const TrainingConfig& training, const TrainingState& state);

// After a save that failed: forgets the scores of steps that have no checkpoint, but for the
// state's own step, which can still be saved. Scores come back that were among the best when a save
// last succeeded, `saved`. `steps` are those that have a checkpoint.
void forget_unsaved_best(const std::vector<Score>& saved, std::span<const int64_t> steps,
                         Better better, const TrainingConfig& training, TrainingState& state);

// A save of the state, and what is kept and linked after it: the best by each metric that the run
// has had, for one that is asked for later, or again.
CheckpointJob checkpoint_job(const TrainingState& state, const TrainingConfig& training);

}  // namespace calque
