#pragma once
// Reads a corpus in blocks, row by row and as tokens, and checks that the results agree. Errors are
// expected if a file is refused, a TSV line lacks a column, a text is invalid, or the filters leave
// no row; any other error is a finding.

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "data/batches/examples.h"
#include "data/batches/plan.h"
#include "data/datasets/dataset.h"
#include "data/tokenizers/tokenizer.h"
#include "data/tokenizers/training.h"
#include "fuzz/memory_file.h"

namespace calque {

// Reads the rows in blocks and one by one.
inline void read_rows(const Corpus& corpus) {
  for (int64_t first = 0; first < corpus.size();) {
    const RowBlock block = corpus.read(first, 3, 100);
    must(block.rows() > 0);
    for (int64_t i = 0; i < block.rows(); ++i, ++first) {
      const RowBlock single = corpus.read(first, 1, 0);
      must(std::ranges::equal(block.row(i), single.row(0), {}, &Line::text, &Line::text));
    }
  }
}

// Loads the rows as tokens and plans their batches.
inline void read_tokens(const CorpusSource& source, const Corpus& corpus, InvalidText invalid) {
  static const Tokenizer words = train_tokenizer({"a b c d"}, {.kind = TokenizerKind::words}, {});
  static const Tokenizer characters =
      train_tokenizer({"a b c d"}, {.kind = TokenizerKind::characters, .lowercase = true}, {});
  const FilterOptions filters{.drop_duplicates = true, .invalid = invalid};
  const auto dataset = [&]() -> std::optional<Dataset> {
    try {
      return load_dataset({source}, {words, characters}, {.filters = filters});
    } catch (const Error& error) {
      const bool none_left =
          std::string_view(error.what()).find(" is left") != std::string_view::npos;
      must(none_left || invalid == InvalidText::error);
      return {};
    }
  }();
  if (!dataset) return;
  must(dataset->examples() + dataset->drops.total() == corpus.size());
  const std::vector<int32_t> costs = costs_of(*dataset->tokens, std::vector{1});
  const BatchPlan plan(costs, dataset->ranges(), {.tokens = 1000}, 0);
  for (int64_t i = 0; i < plan.size(); ++i) must(!plan.batch(i).empty());
}

inline void read_everything(const CorpusSource& source) {
  const auto corpus = accepted([&] { return std::make_unique<Corpus>(source); });
  if (!corpus) return;
  try {
    read_rows(**corpus);
  } catch (const Error& error) {
    must(std::string_view(error.what()).find("column") != std::string_view::npos);
    return;
  }
  for (const InvalidText invalid : {InvalidText::skip, InvalidText::error})
    read_tokens(source, **corpus, invalid);
}

}  // namespace calque
