#pragma once
// How often an epoch takes the sentences of a corpus, and which epochs take part.

#include <cstdint>

namespace calque {

struct CorpusShare {
  double weight = 1;   // 2: each sentence twice an epoch; 0.5: each once in two epochs
  int64_t epochs = 0;  // the number of first epochs that use it; 0: all

  bool has(int64_t epoch) const { return epochs == 0 || epoch < epochs; }
};

}  // namespace calque
