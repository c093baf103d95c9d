#include "train/evaluation.h"

#include <cmath>

#include "data/batch.h"

namespace calque {

TokenScores scores_of(const LossSums& sums) {
  const auto tokens = static_cast<double>(std::max<int64_t>(1, sums.tokens));
  return {sums.loss / tokens, sums.nll / tokens, std::exp(sums.nll / tokens),
          static_cast<double>(sums.correct) / tokens};
}

namespace {

void add_batch(const TranslationModel& model, const Batch& batch, double label_smoothing,
               LossSums& sums) {
  const TokenLoss loss = model.transformer.loss(
      batch.source, batch.source_segments, batch.decoder_input, batch.expected,
      batch.target_segments, static_cast<real>(label_smoothing), Mode::evaluate);
  sums.loss += double(loss.loss.item());
  sums.nll += loss.nll;
  sums.correct += loss.correct;
  sums.tokens += loss.tokens;
}

}  // namespace

LossSums evaluate_tokens(const TranslationModel& model, const Dataset& dataset,
                         double label_smoothing, int64_t batch_tokens,
                         const std::function<void()>& between) {
  const NoGradient nothing_recorded;
  LossSums sums;
  std::vector<uint32_t> pairs;
  int64_t tokens = 0;
  for (int64_t pair = 0; pair < dataset.pairs(); ++pair) {
    const int64_t own = dataset.tokens->target_length(pair) + 1;
    if (!pairs.empty() && tokens + own > batch_tokens) {
      add_batch(model, make_batch(*dataset.tokens, pairs), label_smoothing, sums);
      if (between) between();
      pairs.clear();
      tokens = 0;
    }
    pairs.push_back(static_cast<uint32_t>(pair));
    tokens += own;
  }
  if (!pairs.empty()) add_batch(model, make_batch(*dataset.tokens, pairs), label_smoothing, sums);
  return sums;
}

}  // namespace calque
