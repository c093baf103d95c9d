#pragma once
// What a run will be, before it is: the model part by part, its work, memory and time.

#include <string>

#include "train/config/config.h"
#include "train/run_folder.h"

namespace calque {

// For people. Reads the training data, and of a run that is to go on its tokenisers; writes
// nothing.
std::string training_plan(const Config& config, const RunFolder& run);

}  // namespace calque
