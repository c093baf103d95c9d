#pragma once
// The log-probability that a language model gives each token of texts. A text longer than the
// context is read in overlapping windows: the first counts all its tokens, each later one those
// that no window before it has counted.

#include <cstdint>
#include <vector>

#include "nn/language_model.h"

namespace calque {

struct TextScoring {
  int64_t context = 0;  // tokens read in one window; 0: learned positions, or the whole text
  int64_t stride = 0;   // from one window to the next; 0: half the context
  int64_t batch_tokens = 4096;  // about as many are read at once
};

// For each text of n tokens n - 1 numbers: number t is log p(token t + 1 | the tokens up to t). A
// text begins with what the model reads first, usually <s>, and ends with </s> if that counts.
std::vector<std::vector<real>> token_log_probabilities(
    const LanguageModel& model, const std::vector<std::vector<int32_t>>& texts,
    const TextScoring& options = {});

}  // namespace calque
