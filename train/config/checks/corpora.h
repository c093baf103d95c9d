#pragma once

#include "train/config/checks/contradiction.h"

namespace calque {

// Adds the contradictions that concern the corpora: kinds that the task cannot use, keys that are
// missing or have no effect, and batches smaller than a window.
void check_corpora(const Config& config, Contradictions& all);

}  // namespace calque
