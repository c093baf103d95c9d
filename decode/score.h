#pragma once
// The log-probability that a model assigns to translations, or to each token of texts.

#include <cstdint>
#include <vector>

#include "nn/language_model.h"
#include "nn/translator.h"

namespace calque {

struct SequenceScore {
  double log_probability = 0;
  int64_t tokens = 0;  // with </s>
};

// Sources and targets are without </s>. A batch has about `batch_tokens` target tokens.
std::vector<SequenceScore> score_pairs(Translator model,
                                       const std::vector<std::vector<int32_t>>& sources,
                                       const std::vector<std::vector<int32_t>>& targets,
                                       int64_t batch_tokens = 1024);

// A text longer than the context is read in overlapping windows; each window scores the tokens that
// no earlier one has.
struct TextScoring {
  int64_t context = 0;  // tokens read in one window; 0: learned positions, or the whole text
  int64_t stride = 0;   // from one window to the next; 0: half the context
  int64_t batch_tokens = 4096;  // approximate number of tokens in one batch
};

// For each text of n tokens n - 1 numbers: number t is log p(token t + 1 | tokens 0 to t). A text
// includes its first token, usually <s>, and </s> if that is to be scored.
std::vector<std::vector<real>> token_log_probabilities(
    const LanguageModel& model, const std::vector<std::vector<int32_t>>& texts,
    const TextScoring& options = {});

}  // namespace calque
