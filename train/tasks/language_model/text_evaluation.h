#pragma once
// The loss of a language model on texts: every token once, in windows of its context.

#include <string>
#include <utility>
#include <vector>

#include "data/dataset.h"
#include "data/text_windows.h"
#include "nn/language_model.h"
#include "train/config/config.h"
#include "train/report/records.h"
#include "train/tasks/shared_validation.h"

namespace calque {

struct TextEvaluation {
  LossSums sums;
  TextSize size;  // of the texts

  double bits_per_character() const;
  double bits_per_byte() const;
  // By the names of the task's metrics.
  std::vector<std::pair<std::string, double>> values() const;
};

// Requires windows for evaluation. A batch has about `batch_tokens` tokens. Over the batches of
// the share, summed over all.
TextEvaluation evaluate_text(const LanguageModel& model, const Dataset& dataset,
                             const WindowOptions& windows, double label_smoothing,
                             int64_t batch_tokens, BatchShare share = {});

// The tokens of a batch of evaluation: as in training, at least 4,096.
int64_t tokens_at_once(const Config& config);

// For people, in several lines.
std::string evaluation_text(const std::string& name, const Dataset& dataset,
                            const TextEvaluation& evaluation);

}  // namespace calque
