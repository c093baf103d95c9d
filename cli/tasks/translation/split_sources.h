#pragma once
// The corpora of a split of a translator, toy languages generated.

#include <string>
#include <vector>

#include "cli/tasks/split_corpora.h"
#include "data/corpora/corpus.h"
#include "train/tasks/translation/settings.h"

namespace calque {

// See corpora_of_split(). Of a multilingual run, one for each direction.
inline std::vector<CorpusSource> sources_of_split(const Config& config, const std::string& split,
                                                  const std::string& files) {
  std::vector<CorpusSource> all;
  for (const CorpusOfSplit& each : corpora_of_split(config, split, files)) {
    const auto sources = corpus_sources({each.corpus}, config.data, each.split);
    all.insert(all.end(), sources.begin(), sources.end());
  }
  return all;
}

}  // namespace calque
