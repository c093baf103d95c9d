#pragma once
// How a run goes on: which folder a command resumes, and the learning rate after a change.

#include <string>

#include "train/config/config.h"
#include "train/storage/run_folder.h"
#include "train/storage/training_state.h"

namespace calque {

// The folder in which `calque train` trains, for the folder `path` of its config. If --fresh has
// made PATH-2, PATH-3, ..., the newest run of the config that has not finished.
std::string folder_to_continue(const std::string& path, const Config& config);

// Returns a note if the learning rate of the next update is another one than with the checkpoint's
// config, because the schedule fits the length of the run; otherwise an empty text.
std::string changed_rate_note(const TrainingState& state, const Config& config,
                              const std::string& run);

}  // namespace calque
