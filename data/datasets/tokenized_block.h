#pragma once
// A block of a corpus, tokenized on all threads: the ids of each row, or why it is dropped.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "data/corpora/corpus.h"
#include "data/corpora/filters.h"
#include "data/tokenizers/tokenizer.h"

namespace calque {

struct TokenizedBlock {
  RowBlock text;
  std::vector<Verdict> verdicts;  // [rows]  never Drop::duplicate
  // [rows, columns]  without <s> and </s>; may be empty if the row is dropped
  std::vector<std::span<const int32_t>> ids;
  std::vector<std::vector<int32_t>> chunks;  // the spans point into these

  int64_t rows() const { return std::ssize(verdicts); }
  std::span<const std::span<const int32_t>> row(int64_t index) const {
    return std::span(ids).subspan(index * text.columns, static_cast<size_t>(text.columns));
  }
};

// Reads at least one row of the corpus from `first` on, with one tokenizer per column. The ids of
// the first column begin with `mark`, unless its text is empty. Throws an Error for the first row
// that is not UTF-8, unless the options skip it.
TokenizedBlock read_tokenized(const Corpus& corpus, int64_t first,
                              std::span<const Tokenizer> tokenizers, const FilterOptions& options,
                              std::optional<int32_t> mark = {});

}  // namespace calque
