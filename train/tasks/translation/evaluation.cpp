#include "train/tasks/translation/evaluation.h"

#include <vector>

#include "core/tape.h"
#include "data/batches/examples.h"
#include "data/batches/pair_batch.h"
#include "data/batches/plan.h"
#include "train/task.h"
#include "train/tasks/data_settings.h"
#include "train/tasks/translation/settings.h"

namespace calque {
namespace {

LossSums sums_of(Translator model, const std::vector<Example>& examples, double label_smoothing) {
  const PairBatch batch = make_pair_batch(examples, model.source_end());
  return summed(model.loss(batch.source, batch.source_segments, batch.decoder_input, batch.expected,
                           batch.target_segments, static_cast<real>(label_smoothing),
                           Mode::evaluate))
      .sums();
}

}  // namespace

LossSums evaluate_tokens(Translator model, const Dataset& dataset, const TrainingConfig& training,
                         BatchShare share) {
  BatchOptions options = batch_options(training);
  options.shuffle = false;
  const BatchPlan plan(costs_of(*dataset.tokens, cost_columns(training)), {}, options, 0);
  const NoGradient nothing_recorded;
  std::vector<LossSums> sums;
  for (int64_t i = 0; i < plan.size(); ++i) {
    sums.emplace_back();
    if (!share.computes_next()) continue;
    std::vector<Example> examples;
    for (const uint32_t number : plan.batch(i)) {
      dataset.tokens->read(number, examples.emplace_back());
    }
    sums.back() = sums_of(model, examples, training.label_smoothing);
  }
  return share.sum(std::move(sums));
}

}  // namespace calque
