#pragma once
// When something is due in a run, and when the run has reached one of its limits.

#include "train/config/limits.h"
#include "train/storage/training_state.h"

namespace calque {

// Whether an interval has just been completed, when the step before was in epoch `epoch_before`. An
// epoch may end amid the batches that a step accumulates.
bool is_due(const Interval& interval, const TrainingState& state, int64_t epoch_before);

// The share of the nearest limit that is done; `epochs` with the fraction of the present one.
double share_done(const Until& until, const TrainingState& state, double epochs);

}  // namespace calque
