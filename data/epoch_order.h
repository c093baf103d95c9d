#pragma once
// Which pairs an epoch visits, and in which order: an exact shuffle, by a pure function of the seed
// and the epoch, so that nothing about it needs to be saved.

#include <cstdint>
#include <span>
#include <vector>

#include "data/corpus_share.h"

namespace calque {

// A corpus's pairs and how often an epoch takes them.
struct SharedRange {
  int64_t first = 0, count = 0;
  CorpusShare share = {};
};

// With weight 1 each pair occurs exactly once. Another weight w walks on through an endless
// sequence of shuffles of the range, w * count pairs an epoch: so with 2 each pair occurs twice,
// and with 0.5 once in two epochs.
std::vector<uint32_t> epoch_order(std::span<const SharedRange> ranges, uint64_t seed,
                                  int64_t epoch);

}  // namespace calque
