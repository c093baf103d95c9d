#pragma once
// training.memory_limit: the number of chunks that each micro-batch is split into.

#include <cstdint>

#include "train/learner.h"

namespace calque {

// The smallest number of chunks, a power of two, with which a step over this micro-batch stays
// within the limit, found by measuring; 1 without a limit. Throws an Error if no number does.
int64_t chunks_for_memory(Learner& learner, const Work& largest, Bytes limit);

}  // namespace calque
