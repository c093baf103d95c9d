#pragma once
// Translation by one or several models, with rules for the lengths of translations.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "decode/search/sampling.h"
#include "decode/search/search.h"
#include "decode/shortlist.h"
#include "nn/models/translator.h"

namespace calque {

struct TranslationOptions : SearchOptions {
  // Lengths count tokens without </s>. Ratios are multiples of the source's length.
  int64_t min_length = 0;
  double min_length_ratio = 0;
  int64_t max_length = 0;       // 0: only the next two options set a maximum
  double max_length_ratio = 2;  // at most ratio * source + extra; both 0: no such limit
  int64_t max_length_extra = 50;
  // search_sources() divides longer sources (train/tasks/translation/parts.h); 0: none.
  int64_t longest_source = 0;
  int64_t longest_trained = 0;  // a longer source is warned of; 0: not known
  // Draws n_best independent translations instead of searching for the best.
  std::optional<Sampling> sampling;
  // The number of each source, which selects its random draws; nullptr: 0, 1, 2, ...
  const std::vector<int64_t>* numbers = nullptr;
  // The forced first tokens of each translation.
  const std::vector<std::vector<int32_t>>* prefixes = nullptr;
  // What each translation must have; nullptr, or a null element: nothing. Samples need not.
  const std::vector<std::shared_ptr<const RequiredPhrases>>* required = nullptr;
  // The tokens that a single model searches for each source without a prefix or required phrases;
  // nullptr: all tokens.
  std::shared_ptr<const Shortlist> shortlist = nullptr;
  bool use_shortlist = true;  // of the run, for limit_sources()
};

// One item for each source; sources are without </s>.
std::vector<DecodingItem> translation_items(const std::vector<std::vector<int32_t>>& sources,
                                            const TranslationOptions& options);

// A Transformer decodes with a key-value cache, a recurrent model with its states. Model and
// sources must outlive the result.
DecodingModel translation_model(Translator model, const std::vector<std::vector<int32_t>>& sources);

// The n best translations of each source, or n_best samples, best first, in the order of the
// sources. Several models with one vocabulary form an ensemble. `done` is as in search().
std::vector<std::vector<Hypothesis>> translate(std::span<const Translator> models,
                                               const std::vector<std::vector<int32_t>>& sources,
                                               const TranslationOptions& options,
                                               const std::function<void(int64_t)>& done = {});

}  // namespace calque
