#pragma once
// The examples of an epoch, shuffled. The order is a pure function of its arguments, so that a
// resumed run needs no saved state.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "data/corpora/share.h"

namespace calque {

// A part of the data: consecutive examples and their share of an epoch.
struct SharedRange {
  int64_t first = 0, count = 0;
  CorpusShare share = {};
  std::string name = {};  // for messages
};

// A range with weight w takes w * count examples per epoch from an endless sequence of its
// shuffles: with weight 1 each example occurs once, with 0.5 once in two epochs.
std::vector<uint32_t> epoch_order(std::span<const SharedRange> ranges, uint64_t seed,
                                  int64_t epoch);

}  // namespace calque
