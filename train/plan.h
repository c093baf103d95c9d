#pragma once
// A dry run: the model part by part, and the measured cost of a step.

#include <string>

#include "train/config/config.h"
#include "train/task.h"

namespace calque {

// Reads the training data and runs a few steps to measure time and memory. Writes nothing.
std::string training_plan(const Config& config, const RunFolder& run, const MakeTask& make_task);

}  // namespace calque
