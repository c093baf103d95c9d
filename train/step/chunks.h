#pragma once
// training.memory_limit: the number of chunks that each slice of a micro-batch is split into.

#include <cstdint>

#include "train/step/learner.h"

namespace calque {

// Returns the smallest number of chunks, a power of two up to 256, with which a step over this
// micro-batch in these slices is measured to stay within the limit; 1 without a limit. A number
// that is predicted to exceed the limit by a tenth is not tried. Throws an Error if the largest
// number exceeds it.
int64_t chunks_for_memory(Learner& learner, const Work& largest, int64_t slices, Bytes limit);

}  // namespace calque
