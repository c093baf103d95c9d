#pragma once
// Texts in, translations out: tokenise, search, detokenise.

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "decode/translation.h"
#include "train/tasks/translation/tokenizers.h"

namespace calque {

// What a search found for a text.
struct FoundTranslations {
  std::vector<int32_t> source;   // the text's tokens
  std::vector<Hypothesis> best;  // best first; for a text without tokens its prefix alone
};

// One element a text, in the same order; they are numbered from `first_number`, which decides what
// is drawn. With `prefixes`, a text each, what a translation begins with. A text without tokens is
// not searched for, nor told as done.
std::vector<FoundTranslations> search_texts(std::span<const Transformer* const> models,
                                            const Tokenizers& tokenizers,
                                            std::span<const std::string> texts,
                                            const TranslationOptions& options,
                                            std::span<const std::string> prefixes = {},
                                            int64_t first_number = 0,
                                            const std::function<void(int64_t)>& done = {});

// The best translation of each text.
std::vector<std::string> translate_texts(std::span<const Transformer* const> models,
                                         const Tokenizers& tokenizers,
                                         std::span<const std::string> texts,
                                         const TranslationOptions& options,
                                         const std::function<void(int64_t)>& done = {});

}  // namespace calque
