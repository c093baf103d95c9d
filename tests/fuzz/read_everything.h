#pragma once
// Reads a corpus in every way there is, and checks that the ways agree. Errors are expected where a
// file cannot be taken, a TSV lacks a column, or no pair is left; anything else is a finding.

#include <memory>
#include <string>
#include <vector>

#include "data/batch_plan.h"
#include "data/dataset.h"
#include "data/tokenizer.h"
#include "data/tokenizer_training.h"
#include "data/utf8.h"
#include "fuzz/memory_file.h"

namespace calque {

// The pairs in blocks and one by one.
inline void read_pairs(const Corpus& corpus) {
  for (int64_t first = 0; first < corpus.size();) {
    const PairBlock block = corpus.read(first, 3, 100);
    must(!block.pairs.empty());
    for (const LinePair& pair : block.pairs) {
      const bool sound = !pair.source.too_long && !pair.target.too_long &&
                         !find_invalid_utf8(pair.source.text) &&
                         !find_invalid_utf8(pair.target.text);
      if (sound)
        must(corpus.pair(first) ==
             TextPair{std::string(pair.source.text), std::string(pair.target.text)});
      ++first;
    }
  }
}

// The pairs as tokens, in batches.
inline void read_tokens(const CorpusSource& source, const Corpus& corpus, InvalidText invalid) {
  static const Tokenizer words = train_tokenizer({"a b c d"}, {.kind = TokenizerKind::words}, {});
  static const Tokenizer characters =
      train_tokenizer({"a b c d"}, {.kind = TokenizerKind::characters, .lowercase = true}, {});
  const FilterOptions filters{.drop_duplicates = true, .invalid = invalid};
  const auto dataset = [&]() -> std::optional<Dataset> {
    try {
      return load_dataset({source}, words, characters, {.filters = filters});
    } catch (const Error& error) {
      const bool none_left =
          std::string_view(error.what()).find(" is left") != std::string_view::npos;
      must(none_left || invalid == InvalidText::error);
      return {};
    }
  }();
  if (!dataset) return;
  must(dataset->pairs() + dataset->drops.total() == corpus.size());
  const BatchPlan plan(*dataset, {.tokens = 1000}, 0);
  for (int64_t i = 0; i < plan.size(); ++i) must(!plan.batch(i).empty());
}

inline void read_everything(const CorpusSource& source) {
  const auto corpus = accepted([&] { return std::make_unique<Corpus>(source); });
  if (!corpus) return;
  try {
    read_pairs(**corpus);
  } catch (const Error& error) {
    must(std::string_view(error.what()).find("column") != std::string_view::npos);
    return;
  }
  for (const InvalidText invalid : {InvalidText::skip, InvalidText::error})
    read_tokens(source, **corpus, invalid);
}

}  // namespace calque
