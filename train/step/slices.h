#pragma once
// The number of slices that each micro-batch is divided into (Learner::Division). A slice is small
// enough for the cache of a core, and large enough that the sum of the gradients, and reading all
// weights for it, cost little.

#include <cstdint>

#include "core/parameters.h"
#include "train/task.h"

namespace calque {

// Depends on the model and this micro-batch alone, never on the machine. Runs a sample of it
// forward, to count its FLOPs, unless all is frozen. `parameters` are those of the whole model:
// with an adapter, of its base.
int64_t slices_for(const Work& largest, const Parameters& parameters);
int64_t slices_for(const Work& largest, Task& task);

}  // namespace calque
