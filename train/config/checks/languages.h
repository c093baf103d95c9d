#pragma once

#include "train/config/checks/contradiction.h"

namespace calque {

// Adds the contradictions that concern the languages of a multilingual run, and those of its keys
// in a run of one pair.
void check_languages(const Config& config, Contradictions& all);

}  // namespace calque
