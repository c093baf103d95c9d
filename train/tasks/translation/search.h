#pragma once
// Translates texts: tokenizes, searches and detokenizes.

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "decode/translation.h"
#include "train/tasks/translation/tokenizers.h"

namespace calque {

// The result of a search.
struct FoundTranslations {
  std::vector<int32_t> source;   // the text's tokens
  std::vector<Hypothesis> best;  // best first; only the prefix for a text without tokens
};

// Returns the best hypotheses of each source, best first. A source without tokens is not searched,
// `done` does not count it, and its only hypothesis is its prefix. Sampling depends on the numbers
// of the sources, which count from `first_number`. Translation i begins with prefixes[i], if
// prefixes are given.
std::vector<std::vector<Hypothesis>> search_sources(
    std::span<const Translator> models, std::span<const std::vector<int32_t>> sources,
    const TranslationOptions& options, std::span<const std::vector<int32_t>> prefixes = {},
    int64_t first_number = 0, const std::function<void(int64_t)>& done = {});

// Tokenizes texts and prefixes, and calls search_sources().
std::vector<FoundTranslations> search_texts(std::span<const Translator> models,
                                            const Tokenizers& tokenizers,
                                            std::span<const std::string> texts,
                                            const TranslationOptions& options,
                                            std::span<const std::string> prefixes = {},
                                            int64_t first_number = 0,
                                            const std::function<void(int64_t)>& done = {});

// The best translation of each text.
std::vector<std::string> translate_texts(std::span<const Translator> models,
                                         const Tokenizers& tokenizers,
                                         std::span<const std::string> texts,
                                         const TranslationOptions& options,
                                         const std::function<void(int64_t)>& done = {});

}  // namespace calque
