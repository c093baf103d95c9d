#pragma once
// How texts are translated: the search, and what applies to texts rather than to tokens.

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "train/metrics/translation/minimum_risk.h"
#include "train/tasks/translation/search.h"
#include "train/tasks/translation/terms/term_use.h"

namespace calque {

struct TextSearch : TranslationOptions {
  TextSearch() = default;
  TextSearch(TranslationOptions options) : TranslationOptions(std::move(options)) {}

  TermUse terms;
  // Minimum Bayes risk decoding: the number of samples; 0: none. The score of a result is its
  // utility. `sampling` says how they are drawn.
  int64_t risk_samples = 0;
  Utility utility = Utility::chrf;
  // Of a model that was trained with context, whose texts are context and sentence
  // (context.h): the number of preceding sentences, and the most tokens of a source (0: no limit).
  int64_t preceding = 0, longest_with_context = 0;
};

// limit_sources() of search.h, and the context.
void limit_sources(const TranslationRun& run, TextSearch& search);

TextSearch text_search(const DecodingConfig& decoding);

// The tokens of a text, with its terms marked if the model reads marks. The first sentences of a
// context that makes it too long are left out.
std::vector<int32_t> source_tokens(const Tokenizers& tokenizers, const std::string& text,
                                   const TextSearch& how);

// search_sources() of search.h, whose translations have the terms of their sources. A sample
// (options.sampling) and a source in parts may lack terms that are not marked.
std::vector<FoundTranslations> search_sources(std::span<const Translator> models,
                                              const Tokenizers& tokenizers,
                                              std::vector<std::vector<int32_t>> sources,
                                              const TextSearch& how,
                                              std::span<const std::vector<int32_t>> prefixes = {},
                                              int64_t first_number = 0,
                                              const std::function<void(int64_t)>& done = {});

// Tokenizes texts and prefixes, and calls search_sources().
std::vector<FoundTranslations> search_texts(std::span<const Translator> models,
                                            const Tokenizers& tokenizers,
                                            std::span<const std::string> texts,
                                            const TextSearch& how,
                                            std::span<const std::string> prefixes = {},
                                            int64_t first_number = 0,
                                            const std::function<void(int64_t)>& done = {});

// The best translation of each text.
std::vector<std::string> translate_texts(std::span<const Translator> models,
                                         const Tokenizers& tokenizers,
                                         std::span<const std::string> texts, const TextSearch& how,
                                         const std::function<void(int64_t)>& done = {});

}  // namespace calque
