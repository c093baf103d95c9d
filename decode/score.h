#pragma once
// The log-probabilities of given translations, and of each token of given texts.

#include <cstdint>
#include <vector>

#include "nn/models/language_model.h"
#include "nn/models/translator.h"

namespace calque {

struct SequenceScore {
  double log_probability = 0;
  int64_t tokens = 0;                // </s> included
  std::vector<real> of_tokens = {};  // the log-probability of each
};

// Returns the score of each target, given its source. Sources and targets do not contain </s>; the
// </s> after a target is scored too. A batch has about `batch_tokens` target tokens.
std::vector<SequenceScore> score_pairs(Translator model,
                                       const std::vector<std::vector<int32_t>>& sources,
                                       const std::vector<std::vector<int32_t>>& targets,
                                       int64_t batch_tokens = 1024);

// A text longer than the context is read in windows, which overlap if the stride is less than the
// context. Each window scores the tokens that no earlier window has scored.
struct TextScoring {
  // Tokens read in one window, at most the number of learned positions. 0: that number, or the
  // whole text if the model has no learned positions.
  int64_t context = 0;
  // Tokens from the start of one window to the start of the next. 0: half the context.
  int64_t stride = 0;
  int64_t batch_tokens = 4096;  // approximate number of tokens in one batch
};

// Returns n - 1 numbers for each text of n tokens. Number t is the log-probability of token t + 1,
// given the tokens before it in its window.
// The first token of a text, usually <s>, is not scored. To score </s>, append it to the text.
std::vector<std::vector<real>> token_log_probabilities(
    const LanguageModel& model, const std::vector<std::vector<int32_t>>& texts,
    const TextScoring& options = {});

}  // namespace calque
