#pragma once
// How a run goes on: which folder a command resumes, and the learning rate after a change.

#include <string>

#include "train/config/config.h"
#include "train/storage/run_folder.h"
#include "train/storage/training_state.h"

namespace calque {

// The folder in which a config trains: `run`, or that of the config's file, runs/NAME, if `run` is
// empty. If earlier runs have made PATH-2, PATH-3, ... beside the latter, it is the newest run of
// the config that has not finished. `fresh` makes a new folder.
std::string folder_to_train_in(const std::string& config_path, const std::string& run, bool fresh,
                               const Config& config);

// Returns a note if the learning rate of the next update is another one than with the checkpoint's
// config, because the schedule fits the length of the run; otherwise an empty text.
std::string changed_rate_note(const TrainingState& state, const Config& config,
                              const std::string& run);

}  // namespace calque
