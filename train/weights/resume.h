#pragma once
// Checks whether a run can be resumed with a config, tokenizers and training data.

#include <optional>
#include <string>
#include <vector>

#include "train/config/config.h"
#include "train/storage/checkpoints.h"
#include "train/storage/run_folder.h"
#include "train/task.h"

namespace calque {

// The state of the newest checkpoint with a readable state; its tensors are not read. Throws an
// Error for a checkpoint of a newer calque.
std::optional<TrainingState> newest_state(const Checkpoints& checkpoints);

// Throws an Error if a run without checkpoints has lines in metrics.jsonl: its checkpoints have
// been removed, and a new run would append to these lines.
void refuse_lost_checkpoints(const RunFolder& run);

// The config with the batch size that the checkpoint's run has chosen, if it sets none.
Config with_chosen_batch(Config config, const TrainingState& state);

// Returns a note for each harmless change of the config. Throws an Error for a harmful change, or
// if the run is an average of checkpoints.
std::vector<std::string> check_same_settings(const TrainingState& state, const Config& config);

// The config that a checkpoint was trained with.
Config config_of(const TrainingState& state);

// Retires the scores of each metric that the new config measures in another way (on other data, or
// with another search), because they are not comparable with later ones. Their checkpoints are
// kept, and the best is determined from the next validation on. Returns a note for each metric.
std::vector<std::string> retire_incomparable_scores(TrainingState& state, const Config& before,
                                                    const Config& config, const Task& task);

// Throws an Error if the tokenizer or the data differs from the checkpoint's.
void check_same_data(const TrainingState& state, const std::string& tokenizer_hash,
                     const std::string& data_hash);

}  // namespace calque
