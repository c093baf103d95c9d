#pragma once

#include "train/config/contradiction.h"

namespace calque {

// Whether the corpora are of the task's kind, and no setting of theirs contradicts another.
void check_corpora(const Config& config, Contradictions& all);

}  // namespace calque
