#pragma once
// `task` is applied before the other keys of its layer and sets what is usual for that task.

#include "train/config/config.h"

namespace calque {

void apply_task(Config& config);

}  // namespace calque
