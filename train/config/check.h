#pragma once
// Settings that are valid on their own and contradict each other.

#include <string>
#include <vector>

#include "train/config/config.h"

namespace calque {

struct Contradiction {
  std::string key;  // the one to point at
  std::string message;
};

// Fills in what follows from other settings: the languages, split and size of each corpus, and the
// last step of the learning rate's schedule.
void complete(Config& config);

// Of a completed config; empty when it can be used for training.
std::vector<Contradiction> contradictions(const Config& config);

}  // namespace calque
