#pragma once
// Reads a corpus in every way there is, and checks that the ways agree. Errors are expected;
// anything else that is thrown is a finding.

#include <string>
#include <vector>

#include "core/error.h"
#include "data/batch_plan.h"
#include "data/dataset.h"
#include "data/tokenizer.h"
#include "data/tokenizer_training.h"
#include "data/utf8.h"
#include "fuzz/memory_file.h"

namespace calque {

inline void read_everything(const CorpusSource& source) {
  static const Tokenizer words = train_tokenizer({"a b c d"}, {.kind = TokenizerKind::words}, {});
  static const Tokenizer characters =
      train_tokenizer({"a b c d"}, {.kind = TokenizerKind::characters, .lowercase = true}, {});
  try {
    const Corpus corpus(source);
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
    for (const InvalidText invalid : {InvalidText::skip, InvalidText::error}) {
      const FilterOptions filters{.drop_duplicates = true, .invalid = invalid};
      const Dataset dataset = load_dataset({source}, words, characters, {.filters = filters});
      must(dataset.pairs() + dataset.drops.total() == corpus.size());
      const BatchPlan plan(dataset, {.tokens = 1000}, 0);
      for (int64_t i = 0; i < plan.size(); ++i) must(!plan.batch(i).empty());
    }
  } catch (const Error&) {
  }
}

}  // namespace calque
