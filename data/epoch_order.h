#pragma once
// Which examples an epoch visits, and in which order: an exact shuffle, a pure function of the seed
// and the epoch, so that nothing about it needs to be saved.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "data/corpus_share.h"

namespace calque {

// A part of the data: consecutive examples, and how often an epoch takes them.
struct SharedRange {
  int64_t first = 0, count = 0;
  CorpusShare share = {};
  std::string name = {};  // for messages
};

// With weight 1 each example occurs exactly once. Another weight w continues through an endless
// sequence of shuffles of the range, w * count examples an epoch: with 2 each example occurs twice,
// with 0.5 once in two epochs.
std::vector<uint32_t> epoch_order(std::span<const SharedRange> ranges, uint64_t seed,
                                  int64_t epoch);

}  // namespace calque
