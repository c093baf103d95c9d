#pragma once
// Training on preferences (Rafailov et al. 2023: DPO). With g = log p(answer) - log p_ref(answer),
// where p_ref is the model that training started from, the loss of a pair is
//
//   -log sigmoid(beta (g(chosen) - g(rejected)))
//
// This is the cross-entropy of two classes, the answers, whose logits are beta g. An answer is
// right if its g is the larger one.

#include <array>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "data/datasets/dataset.h"
#include "nn/models/language_model.h"
#include "train/config/config.h"
#include "train/task.h"
#include "train/tasks/shared_validation.h"

namespace calque {

// log p of the chosen and of the rejected answer of each pair, by the number of the pair.
using PairLogs = std::vector<std::array<real, 2>>;

struct PreferenceOptions {
  double beta = 0.1;
  double label_smoothing = 0;  // of the two classes
};
PreferenceOptions preference_options(const Config& config);

// log p of the answers of examples of preference_examples(): [pairs, 2], chosen and rejected.
Tensor answer_logs(const LanguageModel& model, std::span<const Example> pairs, Mode mode);

struct PreferenceLoss {
  SummedLoss loss;    // each pair is a term
  double margin = 0;  // the sum of beta (g(chosen) - g(rejected))
};
PreferenceLoss preference_loss(const LanguageModel& model, std::span<const Example> pairs,
                               const PairLogs& reference, const PreferenceOptions& options,
                               Mode mode);

// The values of the metrics loss, nll, accuracy and margin.
std::vector<std::pair<std::string, double>> evaluate_preferences(
    const LanguageModel& model, const Dataset& dataset, const PairLogs& reference,
    const PreferenceOptions& options, int64_t batch_tokens, BatchShare share);

}  // namespace calque
