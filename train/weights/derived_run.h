#pragma once
// A run folder whose weights were computed from those of another run. It can be used, but not
// trained further.

#include <span>
#include <string>

#include "train/weights/trained_run.h"

namespace calque {

// Throws an Error if `out` exists.
void require_new_run(const std::string& out);

// Writes the folder `out` with one checkpoint of these weights. The config is that of the location
// (of a run with an adapter, that of the plain model). The tokenizers and the task's side files are
// copied from the run, and the scores of its checkpoints are left out of the state.
void save_derived_run(const TrainedRun& run, const std::string& out,
                      std::span<const NamedTensor> weights, TrainingState state);

}  // namespace calque
