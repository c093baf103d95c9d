#pragma once
// A corpus of which a run writes one side. It is made once, in parts, and kept in the run's cache:
//
//   NAME-HASH.source, NAME-HASH.target   the pairs, line by line
//   NAME-HASH.txt                        the numbers of lines, and the hashes of the two files
//   NAME-HASH.part-000012                before the last part is made: one part
//
// HASH is of everything that decides the text. Whoever is killed in between loses at most one part.

#include <cstdint>
#include <functional>
#include <string>

#include "data/corpora/corpus.h"
#include "data/corpora/filters.h"
#include "train/tasks/translation/synthetic/teacher.h"

namespace calque {

struct SyntheticCorpus {
  std::string name;                          // of its files: "distillation"
  CorpusSource input;                        // its first column is translated
  bool reversed = false;                     // whether the translations are the sources
  std::string tag = {};                      // before each source
  InvalidText invalid = InvalidText::error;  // of lines that are not UTF-8
};

// The lines of the input: pairs, and those without a translation by reason.
struct SyntheticCounts {
  int64_t lines = 0, pairs = 0, empty = 0, too_long = 0, invalid = 0, unfinished = 0;

  void add(const SyntheticCounts& other);
  // "29000 lines, dropped: 3 empty, 1 too long".
  std::string text() const;
};

struct MadeCorpus {
  CorpusSource pairs;
  SyntheticCounts counts;
  bool from_cache = false;
};

// The hash in the names of the files.
uint64_t hash_of(const SyntheticCorpus& corpus, const Teacher& teacher);

// Reads the corpus from the folder, or completes its files there, which takes long. `say` gets
// lines on the progress. Throws an Error if the input cannot be read or a file cannot be written.
MadeCorpus make_synthetic(const SyntheticCorpus& corpus, const Teacher& teacher,
                          const std::string& folder,
                          const std::function<void(const std::string&)>& say);

}  // namespace calque
