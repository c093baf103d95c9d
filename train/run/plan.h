#pragma once
// A dry run, which describes each part of the model and measures the cost of a step.

#include <string>

#include "train/config/config.h"
#include "train/task.h"

namespace calque {

// Reads the training data and runs a few steps to measure time and memory. Writes nothing.
std::string training_plan(const Config& config, const RunFolder& run, const MakeTask& make_task);

}  // namespace calque
