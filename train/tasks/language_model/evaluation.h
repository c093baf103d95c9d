#pragma once
// The loss of a language model on texts. Each token is predicted once, in windows of data.context.

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "data/datasets/dataset.h"
#include "data/documents/windows.h"
#include "nn/models/language_model.h"
#include "train/config/config.h"
#include "train/report/records.h"
#include "train/task.h"
#include "train/tasks/shared_validation.h"

namespace calque {

struct TextEvaluation {
  LossSums sums;
  TextSize size;  // of the texts

  double bits_per_character() const;
  double bits_per_byte() const;
  // The values by the metric's name.
  std::vector<std::pair<std::string, double>> values() const;
};

// The summed loss of windows of two columns, inputs and expected (TextWindows::examples()).
SummedLoss window_loss(const LanguageModel& model, std::span<const Example> windows,
                       double label_smoothing, Mode mode, double agreement = 0);

// Requires WindowUse::evaluation. A batch has at most `batch_tokens` tokens, or one window.
// Computes the batches of the share and returns the sums over all batches.
TextEvaluation evaluate_text(const LanguageModel& model, const Dataset& dataset,
                             const WindowOptions& windows, double label_smoothing,
                             int64_t batch_tokens, BatchShare share = {});

// The tokens of an evaluation batch: training.batch_tokens, but at least data.context and 4,096.
int64_t tokens_at_once(const Config& config);

// A human-readable report in several lines.
std::string evaluation_text(const std::string& name, const Dataset& dataset,
                            const TextEvaluation& evaluation);

}  // namespace calque
