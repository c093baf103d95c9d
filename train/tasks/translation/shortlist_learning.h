#pragma once
// Learns the shortlist of a run from its training pairs, and how much of a split it has.

#include <cstdint>

#include "decode/shortlist.h"
#include "train/tasks/translation/run.h"

namespace calque {

// From the training pairs, or from millions of them at equal distances.
Shortlist learn_shortlist(const TranslationRun& run, const std::vector<CorpusSource>& corpora,
                          const ShortlistOptions& options);

struct ShortlistRecall {
  int64_t pairs = 0, whole = 0;   // whole: all of whose target tokens are in the list
  int64_t tokens = 0, found = 0;  // target tokens
  int64_t listed = 0;             // the lengths of the lists together
};

ShortlistRecall recall_of(const Shortlist& list, const TranslationRun& run,
                          const std::vector<CorpusSource>& corpora);

}  // namespace calque
