#pragma once
// Determines whether an interval of a run is complete, and how near the run is to its limits.

#include "train/config/checks/limits.h"
#include "train/config/config.h"
#include "train/storage/training_state.h"

namespace calque {

// The updates and whole epochs of a run so far.
struct Elapsed {
  int64_t updates = 0, epochs = 0;
};

// Whether the last step, which began at `before` and ended at `now`, completed an interval. A
// skipped step is not an update.
bool is_due(const Interval& interval, const Elapsed& before, const Elapsed& now);

// The largest share that is done of any limit of `until`; 1 or more when a limit is reached.
// `epochs` includes the fraction of the current epoch. Skipped steps do not count as updates.
double share_done(const Until& until, const TrainingState& state, double epochs);

// Whether as many validations in a row as training.patience allows have brought no gain.
bool out_of_patience(const TrainingConfig& training, const TrainingState& state);

}  // namespace calque
