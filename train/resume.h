#pragma once
// Resuming a run: may it go on with this config, these tokenizers and this data?

#include <optional>
#include <string>
#include <vector>

#include "train/config/config.h"
#include "train/storage/checkpoints.h"
#include "train/storage/run_folder.h"
#include "train/task.h"

namespace calque {

// Of the newest checkpoint whose state can be read; the tensors beside it are not looked at. One of
// a newer calque is an Error, as it is to whoever loads it.
std::optional<TrainingState> newest_state(const Checkpoints& checkpoints);

// Throws Error when a run without checkpoints has a record of training all the same: they have been
// removed, and beginning anew would remove the record too.
void refuse_lost_checkpoints(const RunFolder& run);

// The lines to say about changed settings that do no harm. Throws Error when one of the changes
// would make it another run.
std::vector<std::string> check_same_settings(const TrainingState& state, const Config& config);

// The config that a checkpoint was trained with.
Config config_of(const TrainingState& state);

// Makes a state go on under a config by which validations are measured in another way (on other
// data, by another search). Scores from before then compare with none to come: they are retired,
// so their checkpoints stay, and the next validation is the first that counts. Returns what to say.
std::vector<std::string> judge_anew(TrainingState& state, const Config& before,
                                    const Config& config, const Task& task);

// Throws Error when the tokenizer or the data is not what the checkpoint was trained with.
void check_same_data(const TrainingState& state, const std::string& tokenizer_hash,
                     const std::string& data_hash);

}  // namespace calque
