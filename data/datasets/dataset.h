#pragma once
// A dataset: the texts of a split as ids, filtered, ready for batching. load_dataset() tokenizes
// and filters every row once, on all threads. A cache folder keeps the result under a hash of
// everything that decides it (the bytes of the corpora, the tokenizers, the filters). If the cache
// cannot be written, the dataset stays in memory. For documents, see load_documents().

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "data/corpora/corpus.h"
#include "data/corpora/filters.h"
#include "data/datasets/epoch_order.h"
#include "data/datasets/token_store.h"
#include "data/tokenizers/tokenizer.h"

namespace calque {

struct DatasetOptions {
  FilterOptions filters = {};
  std::string cache_folder = {};  // created if missing; empty: keep the ids in memory
};

// One corpus of a dataset. Examples are numbered through all corpora. So are lines, which include
// dropped examples.
struct DatasetPart {
  std::string name = {}, pair = {};  // pair: CorpusSource::pair
  CorpusShare share = {};
  int64_t first_example = 0, examples = 0;
  int64_t first_line = 0, lines = 0;
};

// The size of the texts kept, for bits per character and per byte.
struct TextSize {
  int64_t characters = 0;  // code points
  int64_t bytes = 0;
  bool operator==(const TextSize&) const = default;
};

struct Dataset {
  std::shared_ptr<const TokenStore> tokens = {};
  std::vector<DatasetPart> parts = {};
  DropTally drops = {};
  std::vector<TextSize> sizes = {};  // [columns]
  std::string noun = "pair";         // the word for an example in messages
  uint64_t hash = 0;                 // of everything that decided the content
  bool from_cache = false;
  std::string cache_problem = {};  // why the cache could not be written; otherwise empty

  int64_t examples() const { return tokens->count(); }
  int64_t lines() const { return parts.back().first_line + parts.back().lines; }
  // Appends a part that begins where the last one ends.
  void add_part(DatasetPart part);
  // The parts as ranges of examples, with their shares and names.
  std::vector<SharedRange> ranges() const;
  // "train.en + train.de, pair 17" for a line, tokens->line(example).
  std::string where(int64_t line) const;
  // "train.en + train.de, pairs 3, 17; more.en + more.de, pair 5" for several lines, of which it
  // names the first eight.
  std::string where(std::vector<int64_t> lines) const;

 private:
  const DatasetPart& part_of(int64_t line) const;
};

// Requires a tokenizer for each column of the corpora. Throws an Error for a corpus that cannot be
// read, for text that is not UTF-8 (unless it is skipped), for a mark that the first tokenizer
// lacks, and if nothing is left.
Dataset load_dataset(const std::vector<CorpusSource>& corpora,
                     const std::vector<Tokenizer>& tokenizers, const DatasetOptions& options);

}  // namespace calque
