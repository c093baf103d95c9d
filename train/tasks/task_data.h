#pragma once
// Functions for the datasets of a run, for all tasks but classification and images.

#include <string>

#include "data/datasets/dataset.h"
#include "train/task.h"

namespace calque {

// The folder of the run's token cache; empty for a dry run, or if data.cache is false.
std::string cache_folder(const Config& config, const RunFolder& run, const TaskStart& start);

// The number of ids of the texts; of conversations and preferences, not the runs.
int64_t tokens_in(const Dataset& dataset);

// The text of Task::data_description().
std::string data_description(const Dataset& dataset, int64_t vocabulary);

// The dropped examples by reason, for the log. The wording depends on the number of columns.
std::string dropped_text(const Dataset& dataset);

}  // namespace calque
