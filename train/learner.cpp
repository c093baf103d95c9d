#include "train/learner.h"

#include <cmath>

#include "core/profile.h"
#include "core/tape.h"
#include "optim/gradient_norm.h"
#include "train/memory_fit.h"
#include "train/settings.h"

namespace calque {

Learner::Learner(const TrainingConfig& training, const TransformerOptions& options, int64_t pieces)
    : model(options),
      optimizer(model.parameters, optimizer_settings(training), training.clip_norm),
      training_(training),
      pieces_(pieces) {}

void Learner::initialise() { model.parameters.initialise(static_cast<uint64_t>(training_.seed)); }

void Learner::start_averaging() {
  if (training_.ema > 0) average_.emplace(model.parameters, weight_average_settings(training_));
}

StepOutcome Learner::step(std::span<const Batch> batches, int64_t step, double learning_rate) {
  const Phase whole("step");
  StepOutcome outcome;
  outcome.sums = forward_backward(batches, step, Tape::Check::none);
  outcome.update = update(outcome.sums, learning_rate);
  if (!outcome.update.finite) outcome.diagnosis = diagnose(batches, step, outcome.sums);
  model.parameters.clear_gradients();  // they would be held through a validation
  for (const Batch& batch : batches) {
    outcome.flops += 3 * static_cast<double>(passes(training_)) *
                     forward_flops(model.transformer.options,
                                   AttentionWork::of(batch.source_segments, batch.target_segments));
  }
  return outcome;
}

UpdateReport Learner::update(const LossSums& sums, double learning_rate) {
  const Phase phase("update", update_work());
  if (!std::isfinite(sums.loss)) return {NAN, 1, false};
  const auto tokens = static_cast<double>(std::max<int64_t>(1, sums.tokens));
  const UpdateReport report = optimizer.update(model.parameters, learning_rate, 1 / tokens);
  if (report.finite && average_) average_->follow(model.parameters, optimizer.steps());
  return report;
}

// The gradients are read twice, for their norm and for the update; the weights, the optimiser's
// numbers and the average are read and written.
Profile::Work Learner::update_work() {
  if (!Profile::current()) return {};
  const auto all = static_cast<double>(model.parameters.flat_size());
  double numbers = all + all;
  if (average_) numbers += all;
  for (const StateWindow& window : optimizer.state()) {
    numbers += static_cast<double>(window.values.size());
  }
  return {.bytes = 2 * numbers * sizeof(real)};
}

// Losses are sums over tokens; the step is divided once, by the optimiser.
LossSums Learner::forward_backward(std::span<const Batch> batches, int64_t step,
                                   Tape::Check check) {
  const ProductPrecision rounding(product_precision(training_));
  model.parameters.clear_gradients();
  LossSums sums;
  uint32_t part = 0;
  for (const Batch& whole : batches) {
    for (const Batch& batch : split_batch(whole, pieces_)) {
      const Tape tape({static_cast<uint64_t>(training_.seed), static_cast<uint32_t>(step), part++},
                      check);
      const TokenLoss loss = forward(batch);
      {
        const Phase phase("backward");
        backward(loss.loss);
      }
      sums.loss += double(loss.loss.item());
      sums.nll += loss.nll;
      sums.correct += loss.correct;
      sums.tokens += loss.tokens;
    }
  }
  return sums;
}

TokenLoss Learner::forward(const Batch& batch) {
  const Phase phase("forward");
  return model.transformer.loss(batch.source, batch.source_segments, batch.decoder_input,
                                batch.expected, batch.target_segments,
                                static_cast<real>(training_.label_smoothing), Mode::train,
                                static_cast<real>(training_.r_drop));
}

// With check_finite the same step again, with every op watched: dropout is a function of the step,
// so it goes wrong in the same place. Otherwise what there is to see afterwards.
std::string Learner::diagnose(std::span<const Batch> batches, int64_t step, const LossSums& sums) {
  try {
    if (training_.check_finite) forward_backward(batches, step, Tape::Check::finite);
  } catch (const NotFinite& error) {
    return error.what();
  }
  const Parameters::Entry* entry = first_not_finite(model.parameters);
  if (entry) return fmt::format("the gradient of {} is not finite", entry->name);
  return std::isfinite(sums.loss) ? "the gradient is too large" : "the loss is not finite";
}

std::unique_ptr<WithAverage> Learner::averaged_weights() {
  return average_ ? std::make_unique<WithAverage>(*average_, model.parameters) : nullptr;
}

// While the average is swapped in, its window holds the weights under training.
template <class Named>
std::vector<Named> Learner::windows() {
  std::vector<StateWindow> all = optimizer.state();
  if (average_) {
    for (const StateWindow& window : average_->state()) all.push_back({"weights", window.values});
  }
  std::vector<Named> list;
  list.reserve(all.size());
  for (const StateWindow& window : all) {
    list.push_back({window.name, {std::ssize(window.values)}, window.values});
  }
  return list;
}

std::vector<NamedTensor> Learner::optimizer_tensors() { return windows<NamedTensor>(); }
std::vector<TensorTarget> Learner::optimizer_targets() { return windows<TensorTarget>(); }

void Learner::restored(int64_t optimizer_step) {
  optimizer.resume_at(optimizer_step);
  if (average_) average_->swap(model.parameters);
}

}  // namespace calque
