#pragma once
// The corpora that --split names.

#include <string>
#include <vector>

#include "train/config/config.h"

namespace calque {

struct CorpusOfSplit {
  CorpusConfig corpus;
  CorpusConfig::Split split;
};

// The corpora of train or validation, or the test corpora of that name; `test` means all of them if
// none has this name. Throws an Error if there is none, which advises to give these files instead.
std::vector<CorpusOfSplit> corpora_of_split(const Config& config, const std::string& split,
                                            const std::string& files);

}  // namespace calque
