#include "train/tasks/language_model/evaluation.h"

#include <fmt/format.h>

#include <algorithm>
#include <numbers>
#include <utility>

#include "train/tasks/evaluation.h"
#include "train/tasks/language_model/settings.h"
#include "train/tasks/loss_metrics.h"
#include "train/tasks/task_data.h"

namespace calque {
namespace {

double bits_each(double nats, int64_t count) {
  return nats / std::numbers::ln2 / static_cast<double>(std::max<int64_t>(1, count));
}

}  // namespace

SummedLoss window_loss(const LanguageModel& model, std::span<const Example> windows,
                       double label_smoothing, Mode mode, double agreement) {
  const PackedExamples packed = pack(windows);
  return summed(model.loss(packed.columns[0], packed.columns[1], packed.segments,
                           static_cast<real>(label_smoothing), mode, static_cast<real>(agreement)));
}

double TextEvaluation::bits_per_character() const { return bits_each(sums.nll, size.characters); }
double TextEvaluation::bits_per_byte() const { return bits_each(sums.nll, size.bytes); }

std::vector<std::pair<std::string, double>> TextEvaluation::values() const {
  auto values = loss_values(sums);
  values.emplace_back("bits_per_character", bits_per_character());
  values.emplace_back("bits_per_byte", bits_per_byte());
  return values;
}

TextEvaluation evaluate_text(const LanguageModel& model, const Dataset& dataset,
                             const WindowOptions& options, double label_smoothing,
                             int64_t batch_tokens, BatchShare share) {
  std::vector<LossSums> sums = evaluate_in_order(
      text_examples(dataset, options), {.tokens = batch_tokens}, share,
      [&](const ExampleBatch& batch) {
        return window_loss(model, batch.examples, label_smoothing, Mode::evaluate).sums();
      });
  return {.sums = share.sum(std::move(sums)), .size = dataset.sizes.front()};
}

int64_t tokens_at_once(const Config& config) {
  return std::max({config.training.batch_tokens, config.data.context, int64_t{4096}});
}

std::string evaluation_text(const std::string& name, const Dataset& dataset,
                            const TextEvaluation& evaluation) {
  const MeanLoss mean = mean_of(evaluation.sums);
  std::string text = fmt::format("{}: {} {}s, {} tokens, {} characters, {} bytes", name,
                                 dataset.examples(), dataset.noun, evaluation.sums.terms,
                                 evaluation.size.characters, evaluation.size.bytes);
  if (dataset.drops.total() > 0) text += fmt::format("; dropped: {}", dropped_text(dataset));
  return text + fmt::format(
                    "\n  loss {:.4f} nats per token  perplexity {:.3f}  token accuracy {:.2f}%\n"
                    "  {:.4f} nats per character  {:.4f} bits per character  {:.4f} bits per "
                    "byte\n",
                    mean.loss, mean.perplexity, 100 * mean.accuracy,
                    evaluation.bits_per_character() * std::numbers::ln2,
                    evaluation.bits_per_character(), evaluation.bits_per_byte());
}

}  // namespace calque
