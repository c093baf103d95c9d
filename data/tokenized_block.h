#pragma once
// A block of a corpus tokenised on all threads: for each pair its ids, or why it is to be dropped.

#include <cstdint>
#include <span>
#include <vector>

#include "data/corpus.h"
#include "data/filters.h"
#include "data/tokenizer.h"

namespace calque {

struct TokenizedPair {
  std::span<const int32_t> source, target;  // without <s> and </s>; empty if not even tokenised
  Drop drop = Drop::none;                   // never Drop::duplicate
  Side blame = Side::source;                // whose fault the drop is
};

struct TokenizedBlock {
  PairBlock text;
  std::vector<TokenizedPair> pairs;       // one for each of the text's
  std::vector<std::vector<int32_t>> ids;  // what the spans point into
};

// Some pairs of the corpus from `first` on, at least one. Text that is not UTF-8 is an Error unless
// the options skip it.
TokenizedBlock read_tokenized(const Corpus& corpus, int64_t first, const Tokenizer& source,
                              const Tokenizer& target, const FilterOptions& options);

}  // namespace calque
