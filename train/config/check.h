#pragma once
// What no single key can know: settings that are fine each and impossible together.

#include <string>
#include <vector>

#include "train/config/config.h"

namespace calque {

struct Contradiction {
  std::string key;  // the one to point at
  std::string message;
};

// Fills what follows from other settings: the languages, split and size of each corpus, and where a
// learning rate that comes to an end does so.
void complete(Config& config);

// Of a completed config; empty when it can be trained with.
std::vector<Contradiction> contradictions(const Config& config);

}  // namespace calque
