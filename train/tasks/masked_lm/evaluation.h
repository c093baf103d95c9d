#pragma once
// The loss of a masked language model on a text. The masks are the same at every call and in every
// run with the same tokenizer and the same settings of masks and windows, whatever the run's seed.

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "data/datasets/dataset.h"
#include "nn/models/encoder.h"
#include "train/config/config.h"
#include "train/report/records.h"
#include "train/task.h"
#include "train/tasks/shared_validation.h"

namespace calque {

struct MaskedEvaluation {
  LossSums sums;         // over all chosen tokens
  LossSums behind_mask;  // over the chosen tokens that [MASK] replaces

  std::vector<std::pair<std::string, double>> values() const;  // by the metric's name
};

// The summed loss of the chosen tokens of window_examples().
SummedLoss masked_loss(const MaskedLm& model, std::span<const Example> windows,
                       double label_smoothing, Mode mode, double agreement = 0);

// Computes the batches of the share and returns the sums over all batches.
MaskedEvaluation evaluate_masked(const MaskedLm& model, const Dataset& text, const Config& config,
                                 const Tokenizer& tokenizer, BatchShare share = {});

// At most `count` windows of the text: masked, original, and with the model's predictions.
std::vector<Sample> masked_samples(const MaskedLm& model, const Dataset& text, const Config& config,
                                   const Tokenizer& tokenizer, int64_t count);

}  // namespace calque
