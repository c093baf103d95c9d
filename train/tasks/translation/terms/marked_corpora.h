#pragma once
// Training corpora in which the terms of some sources are marked, with their translations.

#include <string>
#include <vector>

#include "data/corpora/corpus.h"
#include "train/config/config.h"

namespace calque {

inline bool marks_terms(const DataConfig& data) { return data.terms.share > 0; }

struct MarkedCorpora {
  std::vector<CorpusSource> sources;
  std::string description;  // the end of a line of the log
};

// Makes the corpora in the folder, or reads them there. Throws an Error if no pair has a term.
MarkedCorpora mark_terms(const std::vector<CorpusSource>& sources, const Config& config,
                         const std::string& folder);

}  // namespace calque
