#pragma once
// How often an epoch takes the sentences of a corpus, and which epochs use the corpus.

#include <cstdint>

namespace calque {

struct CorpusShare {
  double weight = 1;   // 2: each sentence twice per epoch; 0.5: once in two epochs
  int64_t epochs = 0;  // only the first `epochs` epochs use the corpus; 0: all

  bool has(int64_t epoch) const { return epochs == 0 || epoch < epochs; }
};

}  // namespace calque
