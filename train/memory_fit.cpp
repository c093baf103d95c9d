#include "train/memory_fit.h"

#include <algorithm>

#include "core/error.h"
#include "train/tokenizers.h"

namespace calque {

SummaryBatch summary_batch(const Config& config) {
  const TrainingConfig& training = config.training;
  SummaryBatch batch;
  const int64_t planned =
      training.batch_tokens > 0 ? training.batch_tokens : training.batch_sentences * 25;
  const auto tokens =
      static_cast<int64_t>(tokens_of_one(config.tokenizer) * static_cast<double>(planned));
  const bool shared = training.batch_by == TrainingConfig::BatchBy::both;
  batch.source_tokens = batch.target_tokens = shared ? tokens / 2 : tokens;
  switch (training.optimizer) {
    case TrainingConfig::Optimizer::sgd:
      batch.moments = training.momentum > 0 ? 1 : 0;
      break;
    case TrainingConfig::Optimizer::adafactor:
      batch.moments = 0;
      break;
    default:
      batch.moments = 2;
  }
  if (training.ema > 0) ++batch.moments;
  return batch;
}

int64_t pieces_for_memory(const Config& config, const TransformerOptions& options) {
  const Bytes memory_limit = config.training.memory_limit;
  const int64_t limit = memory_limit.count;
  if (limit == 0) return 1;
  const SummaryBatch whole = summary_batch(config);
  double smallest = 0;
  for (int64_t pieces = 1; pieces <= 256; pieces *= 2) {
    SummaryBatch part = whole;
    part.source_tokens = std::max<int64_t>(1, whole.source_tokens / pieces);
    part.target_tokens = std::max<int64_t>(1, whole.target_tokens / pieces);
    smallest = summarise(options, part).memory.total();
    if (smallest <= static_cast<double>(limit)) return pieces;
  }
  fail(
      "training.memory_limit of {} is too little: in the smallest pieces a step takes {:.0f} MB, "
      "parameters, gradients and the optimiser's memory included; allow more or choose a smaller "
      "model",
      to_text(memory_limit), smallest / 1e6);
}

}  // namespace calque
