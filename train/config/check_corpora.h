#pragma once

#include "train/config/contradiction.h"

namespace calque {

// Adds a contradiction for corpora that the task cannot use and for settings of corpora that
// contradict each other.
void check_corpora(const Config& config, Contradictions& all);

}  // namespace calque
