#pragma once
// training.memory_limit: into how many chunks micro-batches are split so that a step fits.

#include <cstdint>

#include "train/learner.h"

namespace calque {

// The fewest chunks, a power of two, with which a step over this micro-batch stays within the
// limit, by measuring: 1 without a limit. Throws Error if not even the smallest chunks fit.
int64_t chunks_for_memory(Learner& learner, const Work& largest, Bytes limit);

}  // namespace calque
