#pragma once
// How good a model is on a dataset, with the right words given (teacher forcing).

#include <functional>

#include "data/dataset.h"
#include "train/storage/training_state.h"
#include "train/translation_model.h"

namespace calque {

// Means over the target tokens, </s> included, as people read them.
struct TokenScores {
  double loss = 0;  // with label smoothing
  double nll = 0;   // natural logarithm
  double perplexity = 0;
  double accuracy = 0;
};
TokenScores scores_of(const LossSums& sums);

// Sums over the whole dataset, in batches of at most `batch_tokens` target tokens; `between` is
// called between them.
LossSums evaluate_tokens(const TranslationModel& model, const Dataset& dataset,
                         double label_smoothing, int64_t batch_tokens,
                         const std::function<void()>& between = {});

}  // namespace calque
