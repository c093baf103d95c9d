#pragma once
// Which words of a text and of its translation belong together, from attention.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "train/tasks/translation/translation_run.h"

namespace calque {

struct AlignedWords {
  std::vector<std::string> source, target;
  std::vector<std::pair<int32_t, int32_t>> links;  // words of the source and the target, ascending
};

// Of each pair of token sequences, without </s>.
std::vector<AlignedWords> align_words(const TranslationRun& run,
                                      const std::vector<std::vector<int32_t>>& sources,
                                      const std::vector<std::vector<int32_t>>& targets);

}  // namespace calque
