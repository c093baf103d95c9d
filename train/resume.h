#pragma once
// Going on with a run: may it go on with this config, these tokenisers and this data?

#include <string>
#include <vector>

#include "train/config/config.h"
#include "train/storage/training_state.h"

namespace calque {

// The lines to say about changed settings that do no harm. Throws Error when one of the changes
// would make it another run: a setting, the tokeniser, or the data.
std::vector<std::string> check_resumable(const TrainingState& state, const Config& config,
                                         const std::string& tokenizer_hash,
                                         const std::string& data_hash);

}  // namespace calque
