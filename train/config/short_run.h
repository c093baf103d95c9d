#pragma once
// Advice on runs that are too short to learn much.

#include <string>

#include "train/config/config.h"

namespace calque {

// A line that warns of a translator's run with few updates, and says what to expect; otherwise
// empty. 0 updates: unknown.
std::string few_updates_warning(const Config& config, double updates);

}  // namespace calque
