#pragma once
// Aligns the words of a text with the words of its translation by attention weights.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "train/tasks/translation/run.h"
#include "train/tasks/translation/search.h"

namespace calque {

struct AlignedWords {
  std::vector<std::string> source, target;
  std::vector<std::pair<int32_t, int32_t>> links;  // source and target word by index, ascending
};

// Aligns each pair of token sequences, which are without </s>.
std::vector<AlignedWords> align_words(const TranslationRun& run,
                                      const std::vector<std::vector<int32_t>>& sources,
                                      const std::vector<std::vector<int32_t>>& targets);

// Aligns the words of the k-th translation that was found. Words are numbered through all parts.
AlignedWords align_words(const TranslationRun& run, const FoundTranslations& found, size_t k);

}  // namespace calque
