#pragma once
// The log-probabilities of given translations, and of each token of given texts.

#include <cstdint>
#include <vector>

#include "nn/language_model.h"
#include "nn/translator.h"

namespace calque {

struct SequenceScore {
  double log_probability = 0;
  int64_t tokens = 0;  // </s> included
};

// Returns the score of each target, given its source. Sources and targets do not contain </s>,
// which is scored too. A batch has about `batch_tokens` target tokens.
std::vector<SequenceScore> score_pairs(Translator model,
                                       const std::vector<std::vector<int32_t>>& sources,
                                       const std::vector<std::vector<int32_t>>& targets,
                                       int64_t batch_tokens = 1024);

// A text longer than the context is read in overlapping windows. Each window scores the tokens that
// no earlier window has scored.
struct TextScoring {
  // Tokens read in one window. 0: as many as the model has learned positions, or the whole text.
  int64_t context = 0;
  // Tokens from the start of one window to the start of the next. 0: half the context.
  int64_t stride = 0;
  int64_t batch_tokens = 4096;  // approximate number of tokens in one batch
};

// Returns n - 1 numbers for each text of n tokens: number t is log p(token t + 1 | tokens 0 to t).
// The first token of a text, usually <s>, is not scored. To score </s>, append it to the text.
std::vector<std::vector<real>> token_log_probabilities(
    const LanguageModel& model, const std::vector<std::vector<int32_t>>& texts,
    const TextScoring& options = {});

}  // namespace calque
