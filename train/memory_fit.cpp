#include "train/memory_fit.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.h"
#include "train/settings.h"
#include "train/tokenizers.h"

namespace calque {
namespace {

// "21kB", "348MB".
std::string rounded(double bytes) {
  const int64_t unit = bytes < 1e7 ? 1'000 : 1'000'000;
  return to_text(Bytes{(static_cast<int64_t>(bytes) / unit + 1) * unit});
}

}  // namespace

SummaryBatch summary_batch(const Config& config, double source_length, double target_length) {
  const TrainingConfig& training = config.training;
  double counted = target_length;
  if (training.batch_by == TrainingConfig::BatchBy::source) counted = source_length;
  if (training.batch_by == TrainingConfig::BatchBy::both) counted = source_length + target_length;
  double sentences = std::numeric_limits<double>::infinity();
  if (training.batch_tokens > 0) {
    const auto tokens = static_cast<double>(training.batch_tokens);
    sentences = tokens_of_one(config.tokenizer) * tokens / counted;
  }
  if (training.batch_sentences > 0) {
    sentences = std::min(sentences, static_cast<double>(training.batch_sentences));
  }
  SummaryBatch batch;
  batch.source_length = source_length;
  batch.target_length = target_length;
  batch.source_tokens = std::llround(sentences * source_length);
  batch.target_tokens = std::llround(sentences * target_length);
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
  batch.passes = passes(training);
  batch.accumulated = training.accumulation > 1;
  return batch;
}

int64_t pieces_for_memory(const Config& config, const TransformerOptions& options) {
  const Bytes memory_limit = config.training.memory_limit;
  const int64_t limit = memory_limit.count;
  if (limit == 0) return 1;
  // Sentences that are longer than data.max_length are left out; without it, what a batch may have
  // of tokens is all that limits them.
  const int64_t longest = config.data.max_length > 0
                              ? config.data.max_length + 1
                              : std::max<int64_t>(1, config.training.batch_tokens);
  const auto length = static_cast<double>(longest);
  const SummaryBatch whole = summary_batch(config, length, length);
  double least = std::numeric_limits<double>::infinity();
  for (int64_t pieces = 1; pieces <= 256; pieces *= 2) {
    SummaryBatch part = whole;
    part.source_tokens = largest_piece(whole.source_tokens, pieces);
    part.target_tokens = largest_piece(whole.target_tokens, pieces);
    part.source_length = static_cast<double>(part.source_tokens);  // of long sentences more is kept
    part.target_length = static_cast<double>(part.target_tokens);
    part.accumulated = whole.accumulated || pieces > 1;
    least = std::min(least, summarise(options, part).memory.total());
    if (least <= static_cast<double>(limit)) return pieces;
  }
  fail(
      "training.memory_limit of {} is too little: cut into pieces a step takes at least {}, "
      "parameters, gradients and the optimiser's memory included; allow more or choose a smaller "
      "model",
      to_text(memory_limit), rounded(least));
}

int64_t largest_piece(int64_t tokens, int64_t pieces) {
  const int64_t share = (tokens + pieces - 1) / pieces;
  return pieces > 1 ? share + share / 16 : share;
}

std::vector<Batch> split_batch(const Batch& batch, int64_t pieces) {
  if (pieces <= 1) return {batch};
  const Segments& targets = batch.target_segments;
  const int64_t share = (targets.tokens() + pieces - 1) / pieces;
  const int64_t most = largest_piece(targets.tokens(), pieces);
  std::vector<Batch> parts(1);
  int64_t current = 0;
  for (int64_t i = 0; i < batch.sentences(); ++i) {
    const int64_t length = targets.length(i), middle = targets.begin(i) + length / 2;
    const int64_t ahead = parts.back().target_segments.tokens();
    if (ahead > 0 && (middle / share > current || ahead + length > most)) parts.emplace_back();
    current = middle / share;
    const auto part = [i](const std::vector<int32_t>& ids, const Segments& segments) {
      return std::span(ids).subspan(static_cast<size_t>(segments.begin(i)),
                                    static_cast<size_t>(segments.length(i)) - 1);
    };
    append_pair(part(batch.source, batch.source_segments), part(batch.expected, targets),
                batch.lines[i], parts.back());
  }
  return parts;
}

}  // namespace calque
