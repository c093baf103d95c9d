#pragma once
// A block of a corpus tokenised on all threads: for each row its ids, or why it is to be dropped.

#include <cstdint>
#include <span>
#include <vector>

#include "data/corpus.h"
#include "data/filters.h"
#include "data/tokenizer.h"

namespace calque {

struct TokenizedBlock {
  RowBlock text;
  std::vector<Verdict> verdicts;              // [rows]  never Drop::duplicate
  std::vector<std::span<const int32_t>> ids;  // [rows, columns]  without <s> and </s>; empty where
                                              // a row is not tokenised
  std::vector<std::vector<int32_t>> chunks;   // what the spans point into

  int64_t rows() const { return std::ssize(verdicts); }
  std::span<const std::span<const int32_t>> row(int64_t index) const {
    return std::span(ids).subspan(static_cast<size_t>(index * text.columns),
                                  static_cast<size_t>(text.columns));
  }
};

// Some rows of the corpus from `first` on, at least one; one tokenizer a column. Text that is not
// UTF-8 is an Error unless the options skip it; of several such rows the first is reported.
TokenizedBlock read_tokenized(const Corpus& corpus, int64_t first,
                              std::span<const Tokenizer> tokenizers, const FilterOptions& options);

}  // namespace calque
