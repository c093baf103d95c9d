#pragma once
// Functions for the datasets of a run that all tasks share.

#include <string>

#include "data/dataset.h"
#include "train/task.h"

namespace calque {

// The folder for the run's token cache; empty if there is none to use.
std::string cache_folder(const Config& config, const RunFolder& run, const TaskStart& start);

// Task::data_description().
std::string data_description(const Dataset& dataset, int64_t vocabulary);

// What was dropped, for the log. The wording depends on the number of columns.
std::string dropped_text(const Dataset& dataset);

}  // namespace calque
