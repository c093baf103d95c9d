#pragma once
// How well a language model predicts texts: every token once, in windows of the context that it was
// trained with.

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "data/dataset.h"
#include "data/text_windows.h"
#include "nn/language_model.h"
#include "train/config/config.h"
#include "train/report/records.h"

namespace calque {

struct TextEvaluation {
  LossSums sums;
  TextSize size;  // of the texts

  double bits_per_character() const;
  double bits_per_byte() const;
  // By the names of the task's metrics.
  std::vector<std::pair<std::string, double>> values() const;
};

// The windows are those of evaluation. About `batch_tokens` tokens are read at once; `between` is
// called between batches.
TextEvaluation evaluate_text(const LanguageModel& model, const Dataset& dataset,
                             const WindowOptions& windows, double label_smoothing,
                             int64_t batch_tokens, const std::function<void()>& between = {});

// As many tokens as evaluation reads at once: those of a training batch, and 4,096 at least.
int64_t tokens_at_once(const Config& config);

// For people, several lines.
std::string evaluation_text(const std::string& name, const Dataset& dataset,
                            const TextEvaluation& evaluation);

}  // namespace calque
