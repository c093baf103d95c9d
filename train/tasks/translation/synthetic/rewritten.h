#pragma once
// A training corpus with other texts, one for each pair, in the cache of a run. Its files are those
// of a synthetic corpus.

#include <functional>
#include <string>

#include "data/corpora/corpus.h"
#include "data/corpora/filters.h"

namespace calque {

struct Rewriting {
  std::string name;                          // of the files: "terms"
  uint64_t hash = 0;                         // of what decides the new texts, apart from the corpus
  InvalidText invalid = InvalidText::error;  // pairs that are not UTF-8: skip drops them
  // Changes the pair of this line, which counts from 0.
  std::function<void(int64_t line, std::string& source, std::string& target)> change;
};

// Makes the corpus in the folder, or reads it there.
CorpusSource rewritten(const CorpusSource& corpus, const Rewriting& rewriting,
                       const std::string& folder);

}  // namespace calque
