#include "train/run/batch_size.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "train/config/language_pairs.h"
#include "train/config/short_run.h"
#include "train/config/tasks.h"
#include "train/run/estimate.h"
#include "train/step/slices.h"

namespace calque {
namespace {

// A batch of at least one window or pair of a language model, and of at least the largest example.
int64_t tokens_of_batch(const Config& config, int64_t largest, double tokens_of_update) {
  constexpr double unit = 32;
  const double share = tokens_of_update / static_cast<double>(config.training.batches_of_update());
  const auto tokens = static_cast<int64_t>(std::ceil(share / unit) * unit);
  const int64_t window = has(config, Feature::context) ? largest_example(config) : 0;
  return std::max({tokens, window, largest});
}

// The directions that a run learns: each needs as many updates as a run of its own.
double directions(const Config& config) {
  if (!config.data.multilingual) return 1;
  return static_cast<double>(language_pairs(config.data.train).size());
}

}  // namespace

int64_t tokens_of_update(double tokens_of_run, double tokens_of_term) {
  constexpr double updates = 3000;
  const double least = std::max(256.0, 16 * tokens_of_term);
  const double most = std::max(8192.0, 128 * tokens_of_term);
  return static_cast<int64_t>(std::clamp(tokens_of_run / updates, least, most));
}

BatchChoice choose_batch(const Config& config, Task& task, int ranks) {
  const int64_t largest = task.largest_example();
  TrainingConfig training = config.training;
  training.until.updates = 0;  // says nothing of tokens
  if (!training.until.has_limit()) {
    return {tokens_of_batch(config, largest, TrainingConfig::usual_batch_tokens), {}};
  }
  const int64_t trial = tokens_of_batch(config, largest, 1024);
  Learner learner(training, task.parameters());
  learner.initialise();
  if (task.base()) task.base()->initialise(0);
  const std::unique_ptr<WorkStream> stream = task.training({}, trial);
  learner.divide({slices_for(*stream->largest(), task), 1});
  UpdateCost cost = measured_update(training, learner, *stream);
  cost.seconds /= ranks;
  const auto in_update = static_cast<double>(trial * training.batches_of_update());
  const double tokens = expected_updates(training, stream->epoch_sizes(), cost) * in_update;
  const int64_t wanted = tokens_of_update(tokens / directions(config), in_update / cost.terms);
  BatchChoice choice{tokens_of_batch(config, largest, static_cast<double>(wanted)), {}};
  choice.notes.push_back(
      fmt::format("training.batch_tokens: {}, for a run of about {:.2g} million tokens",
                  choice.tokens, tokens / 1e6));
  Config chosen = config;
  chosen.training.batch_tokens = choice.tokens;
  const auto taken = static_cast<double>(choice.tokens * training.batches_of_update());
  const std::string warning = few_updates_warning(chosen, tokens / taken);
  if (!warning.empty()) choice.notes.push_back(warning);
  return choice;
}

}  // namespace calque
