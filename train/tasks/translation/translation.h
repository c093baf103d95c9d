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

// Returns an element for each text, in order. Sampling depends on their numbers, which count from
// `first_number`. Translation i begins with prefixes[i], if there are any. Texts without tokens are
// not searched for, and `done` does not count them.
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
