#pragma once
// Determines whether an interval of a run is complete, and how near the run is to its limits.

#include "train/config/checks/limits.h"
#include "train/storage/training_state.h"

namespace calque {

// Whether the last step completed an interval; the step before it ended in epoch `epoch_before`. An
// interval in updates counts all steps, also skipped ones.
bool is_due(const Interval& interval, const TrainingState& state, int64_t epoch_before);

// The largest share that is done of any limit of `until`; 1 or more when a limit is reached.
// `epochs` includes the fraction of the current epoch. Skipped steps do not count as updates.
double share_done(const Until& until, const TrainingState& state, double epochs);

}  // namespace calque
