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
                         double label_smoothing, int64_t batch_tokens) {
  const NoGradient nothing_recorded;
  LossSums sums;
  Batch batch;
  for (int64_t pair = 0; pair < dataset.pairs(); ++pair) {
    const auto number = static_cast<uint32_t>(pair);
    const Batch one = make_batch(*dataset.tokens, std::span(&number, 1));
    const int64_t together = batch.target_segments.tokens() + one.target_segments.tokens();
    if (batch.sentences() > 0 && together > batch_tokens) {
      add_batch(model, batch, label_smoothing, sums);
      batch = Batch();
    }
    append_pair(std::span(one.source).first(one.source.size() - 1),
                std::span(one.expected).first(one.expected.size() - 1), one.lines[0], batch);
  }
  if (batch.sentences() > 0) add_batch(model, batch, label_smoothing, sums);
  return sums;
}

}  // namespace calque
