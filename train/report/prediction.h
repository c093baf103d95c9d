#pragma once
// Where the validation curves of a run will end, from what they have gained so far.

#include <vector>

#include "train/report/run_metrics.h"

namespace calque {

// Predicts the last values of the loss and of the headline metrics, after a validation at which the
// share `done` of the run is over. Returns nothing in the first fifth of the run and at its end.
// Holds for learning rates that fall to (nearly) 0 at the end.
std::vector<Prediction> predictions(const ReportRun& run, double done);

}  // namespace calque
