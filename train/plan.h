#pragma once
// What a run will be, before it is trained: the model part by part, and what a step really costs.

#include <string>

#include "train/config/config.h"
#include "train/task.h"

namespace calque {

// For people. Reads the training data and runs a few steps to measure their time and memory; writes
// nothing.
std::string training_plan(const Config& config, const RunFolder& run, const MakeTask& make_task);

}  // namespace calque
