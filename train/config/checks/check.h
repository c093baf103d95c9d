#pragma once
// Finds settings that are valid on their own but contradict each other.

#include "train/config/checks/contradiction.h"

namespace calque {

// Fills in what follows from other settings: the languages, split and size of each corpus, and the
// last step of the learning rate's schedule.
void complete(Config& config);

// The contradictions in a completed config, except those that only the task can know (ExtraCheck).
Contradictions contradictions(const Config& config);

}  // namespace calque
