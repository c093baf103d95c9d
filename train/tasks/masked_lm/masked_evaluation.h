#pragma once
// The loss of a masked language model on a text. The masks are the same at every call and in every
// run with the same tokenizer, share and context, whatever its seed.

#include <string>
#include <utility>
#include <vector>

#include "data/dataset.h"
#include "nn/encoder.h"
#include "train/config/config.h"
#include "train/report/records.h"
#include "train/tasks/shared_validation.h"

namespace calque {

struct MaskedEvaluation {
  LossSums sums;         // over all chosen tokens
  LossSums behind_mask;  // over those that [MASK] replaces

  std::vector<std::pair<std::string, double>> values() const;  // by the metric's name
};

// Over the batches of the share, summed over all.
MaskedEvaluation evaluate_masked(const MaskedLm& model, const Dataset& text, const Config& config,
                                 const Tokenizer& tokenizer, BatchShare share = {});

// `count` windows of the text with masks, the original text, and the model's choice.
std::vector<Sample> masked_samples(const MaskedLm& model, const Dataset& text, const Config& config,
                                   const Tokenizer& tokenizer, int64_t count);

}  // namespace calque
