#include "train/tasks/translation/evaluation.h"

#include <vector>

#include "core/tape.h"
#include "data/batch_plan.h"
#include "data/dataset_examples.h"
#include "data/pair_batch.h"
#include "train/task.h"
#include "train/tasks/data_settings.h"
#include "train/tasks/translation/settings.h"

namespace calque {
namespace {

void add_batch(Translator model, const std::vector<Example>& examples, double label_smoothing,
               LossSums& sums) {
  const PairBatch batch = make_pair_batch(examples);
  sums +=
      summed(model.loss(batch.source, batch.source_segments, batch.decoder_input, batch.expected,
                        batch.target_segments, static_cast<real>(label_smoothing), Mode::evaluate))
          .sums();
}

}  // namespace

LossSums evaluate_tokens(Translator model, const Dataset& dataset, const TrainingConfig& training,
                         const std::function<void()>& between) {
  BatchOptions options = batch_options(training);
  options.shuffle = false;
  const BatchPlan plan(costs_of(*dataset.tokens, cost_columns(training)), {}, options, 0);
  const NoGradient nothing_recorded;
  LossSums sums;
  for (int64_t i = 0; i < plan.size(); ++i) {
    if (i > 0 && between) between();
    std::vector<Example> examples;
    for (const uint32_t number : plan.batch(i)) {
      dataset.tokens->read(number, examples.emplace_back());
    }
    add_batch(model, examples, training.label_smoothing, sums);
  }
  return sums;
}

}  // namespace calque
