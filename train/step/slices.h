#pragma once
// The number of slices that each micro-batch is divided into (Learner::Division). A slice is small
// enough for the cache of a core, and large enough that the sum of the gradients costs little.

#include <cstdint>

#include "core/parameters.h"
#include "train/task.h"

namespace calque {

// Depends on the model and this micro-batch alone, never on the machine. Runs a sample of it
// forward, to count its FLOPs.
int64_t slices_for(const Work& largest, const Parameters& parameters);

}  // namespace calque
