#include "train/tasks/translation/evaluation.h"

#include <utility>

#include "core/tape.h"
#include "data/pair_batch.h"
#include "train/task.h"

namespace calque {
namespace {

void add_batch(const Transformer& model, const std::vector<Example>& examples,
               double label_smoothing, LossSums& sums) {
  const PairBatch batch = make_pair_batch(examples);
  sums += summed(model.loss(batch.source, batch.source_segments, batch.decoder_input,
                            batch.expected, batch.target_segments,
                            static_cast<real>(label_smoothing), Mode::evaluate))
              .sums();
}

}  // namespace

LossSums evaluate_tokens(const Transformer& model, const Dataset& dataset, double label_smoothing,
                         int64_t batch_tokens, const std::function<void()>& between) {
  const NoGradient nothing_recorded;
  LossSums sums;
  std::vector<Example> examples;
  int64_t tokens = 0;
  for (int64_t number = 0; number < dataset.examples(); ++number) {
    const int64_t own = dataset.tokens->length(number, 1) + 1;
    if (!examples.empty() && tokens + own > batch_tokens) {
      add_batch(model, std::exchange(examples, {}), label_smoothing, sums);
      if (between) between();
      tokens = 0;
    }
    dataset.tokens->read(number, examples.emplace_back());
    tokens += own;
  }
  if (!examples.empty()) add_batch(model, examples, label_smoothing, sums);
  return sums;
}

}  // namespace calque
