#pragma once
// The config of an imported model: its weights are trained further, on data that it does not name.

#include <string>

#include "train/config/config.h"

namespace calque {

// The defaults for fine-tuning, such as a small constant learning rate.
Config fine_tuning_config(TaskKind task);

// A config file that trains the weights further, with the keys that differ from the defaults of the
// task.
std::string fine_tuning_text(const Config& config);

}  // namespace calque
