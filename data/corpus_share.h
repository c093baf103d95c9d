#pragma once
// How much of an epoch a corpus makes up, and of which epochs.

#include <cstdint>

namespace calque {

// In an epoch the sentences of a corpus occur `weight` times: each twice for 2, a half of them for
// 0.5 (the other half in the next epoch).
struct CorpusShare {
  double weight = 1;
  int64_t epochs = 0;  // only in so many, from the first on; 0: in all

  bool has(int64_t epoch) const { return epochs == 0 || epoch < epochs; }
};

}  // namespace calque
