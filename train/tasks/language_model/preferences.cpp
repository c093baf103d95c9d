#include "train/tasks/language_model/preferences.h"

#include "data/conversations/preference_dataset.h"
#include "train/tasks/evaluation.h"
#include "train/tasks/loss_metrics.h"

namespace calque {
namespace {

// The reference's logs of these pairs: [pairs, 2].
Tensor logs_of(const PairLogs& reference, std::span<const Example> pairs) {
  const Tensor logs({std::ssize(pairs), 2});
  for (size_t i = 0; i < pairs.size(); ++i) {
    const auto& [chosen, rejected] = reference[static_cast<size_t>(pairs[i][4].front())];
    logs.data()[2 * i] = chosen;
    logs.data()[2 * i + 1] = rejected;
  }
  return logs;
}

// The sums over the pairs of a batch.
struct BatchSums {
  LossSums loss;
  double margin = 0;
};

}  // namespace

PreferenceOptions preference_options(const Config& config) {
  return {config.training.dpo_beta, config.training.label_smoothing};
}

Tensor answer_logs(const LanguageModel& model, std::span<const Example> pairs, Mode mode) {
  std::vector<Example> texts;
  for (const size_t first : {size_t{0}, size_t{2}}) {  // the columns of chosen and rejected
    for (const Example& pair : pairs) texts.push_back({pair[first], pair[first + 1]});
  }
  const PackedExamples packed = pack(texts);
  const Tensor logs =
      model.log_probabilities(packed.columns[0], packed.columns[1], packed.segments, mode);
  const Tensor sides[] = {slice_rows(logs, 0, std::ssize(pairs)),
                          slice_rows(logs, std::ssize(pairs), logs.rows())};
  return concat_cols(sides);
}

PreferenceLoss preference_loss(const LanguageModel& model, std::span<const Example> pairs,
                               const PairLogs& reference, const PreferenceOptions& options,
                               Mode mode) {
  const Tensor gains = (answer_logs(model, pairs, mode) - logs_of(reference, pairs)) *
                       static_cast<real>(options.beta);
  PreferenceLoss result;
  for (int64_t i = 0; i < gains.rows(); ++i) {
    result.margin += double(gains.data()[2 * i]) - double(gains.data()[2 * i + 1]);
  }
  // Of equal logits the first is the most probable, so the chosen answer comes second: without a
  // margin it does not count as right.
  const Tensor classes[] = {slice_cols(gains, 1, 2), slice_cols(gains, 0, 1)};
  const std::vector<int32_t> chosen(pairs.size(), 1);
  result.loss = summed(
      cross_entropy(concat_cols(classes), chosen, static_cast<real>(options.label_smoothing)));
  return result;
}

std::vector<std::pair<std::string, double>> evaluate_preferences(
    const LanguageModel& model, const Dataset& dataset, const PairLogs& reference,
    const PreferenceOptions& options, int64_t batch_tokens, BatchShare share) {
  std::vector<BatchSums> batches =
      evaluate_in_order(preference_examples(dataset), {.tokens = batch_tokens}, share,
                        [&](const ExampleBatch& batch) {
                          const PreferenceLoss found = preference_loss(
                              model, batch.examples, reference, options, Mode::evaluate);
                          return BatchSums{found.loss.sums(), found.margin};
                        });
  share.join(batches);
  BatchSums all;
  for (const BatchSums& batch : batches) {
    all.loss += batch.loss;
    all.margin += batch.margin;
  }
  const MeanLoss mean = mean_of(all.loss);
  return {{"loss", mean.loss},
          {"nll", mean.nll},
          {"accuracy", mean.accuracy},
          {"margin", all.margin / static_cast<double>(dataset.examples())}};
}

}  // namespace calque
