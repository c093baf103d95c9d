#include "train/tasks/translation/evaluation.h"

#include "data/batches/examples.h"
#include "train/tasks/data_settings.h"
#include "train/tasks/evaluation.h"
#include "train/tasks/translation/settings.h"
#include "train/tasks/translation/training.h"

namespace calque {

LossSums evaluate_tokens(Translator model, const Dataset& dataset, const TrainingConfig& training,
                         BatchShare share) {
  return share.sum(evaluate_in_order(
      examples_of(dataset, cost_columns(training)), batch_options(training), share,
      [&](const ExampleBatch& batch) {
        return pair_loss(model, batch.examples, training.label_smoothing, Mode::evaluate).sums();
      }));
}

}  // namespace calque
