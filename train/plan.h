#pragma once
// What a run will be, before it is: the model part by part, its work, memory and time.

#include <string>

#include "train/config/config.h"

namespace calque {

// For people. Reads the training data, writes nothing.
std::string training_plan(const Config& config);

}  // namespace calque
