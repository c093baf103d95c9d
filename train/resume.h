#pragma once
// Going on with a run: may it go on with this config, these tokenisers and this data?

#include <optional>
#include <string>
#include <vector>

#include "train/config/config.h"
#include "train/run_folder.h"
#include "train/storage/checkpoints.h"

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

// Makes a state go on under a config by which validations are judged in another way: on another
// corpus, by translations found otherwise, by another metric. Scores from before then cannot be
// compared with those to come; they stay in the state, under a name of their own, and so their
// checkpoints stay too, but the next validation is the first that counts. Returns what to say.
std::vector<std::string> judge_anew(TrainingState& state, const Config& config);

// Throws Error when the tokeniser or the data is not what the checkpoint was trained with.
void check_same_text(const TrainingState& state, const std::string& tokenizer_hash,
                     const std::string& data_hash);

}  // namespace calque
