#pragma once
// A dataset: the corpora of a split as ids, filtered, ready for batching. Making one reads,
// tokenises and filters every line once, on all threads; with a cache folder the result is kept
// there under a name made from all that decides it (the bytes of the corpora, the tokenisers, the
// filters), and the next start reads it back. A cache that cannot be written stops nobody.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "data/corpus.h"
#include "data/filters.h"
#include "data/token_store.h"
#include "data/tokenizer.h"

namespace calque {

struct DatasetOptions {
  FilterOptions filters = {};
  std::string cache_folder = {};  // made if need be; empty: keep the ids in memory
};

// One corpus of a dataset. Pairs are numbered through all corpora, lines too; lines count what was
// dropped, pairs do not.
struct DatasetPart {
  std::string name;
  CorpusShare share = {};
  int64_t first_pair = 0, pairs = 0;
  int64_t first_line = 0, lines = 0;
};

struct Dataset {
  std::shared_ptr<const TokenStore> tokens;
  std::vector<DatasetPart> parts;
  DropTally drops;
  uint64_t hash = 0;  // of all that decided the content, for knowing it again on resuming
  bool from_cache = false;
  std::string cache_problem = {};  // why the cache could not be written; the ids are in memory then

  int64_t pairs() const { return tokens->count(); }
  int64_t lines() const { return parts.back().first_line + parts.back().lines; }
  // Whether the same corpora take part in both epochs.
  bool same_parts(int64_t epoch, int64_t other) const;
  // "train.en + train.de, pair 17" for a line as numbered in batches.
  std::string where(int64_t line) const;
  // "train.en + train.de, pairs 3, 17; more.en + more.de, pair 5" for the first few of several.
  std::string where(std::vector<int64_t> lines) const;

 private:
  const DatasetPart& part_of(int64_t line) const;
};

// An Error: a corpus that cannot be read, text that is not UTF-8 (unless skipped), nothing left.
Dataset load_dataset(const std::vector<CorpusSource>& corpora, const Tokenizer& source,
                     const Tokenizer& target, const DatasetOptions& options);

}  // namespace calque
