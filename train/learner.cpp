#include "train/learner.h"

#include <algorithm>
#include <cmath>

#include "core/blas.h"
#include "core/memory.h"
#include "optim/gradient_norm.h"
#include "train/training_settings.h"

namespace calque {
namespace {

SummedLoss forward(const Work& work) {
  const Phase phase("forward");
  return work.forward();
}

void run_backward(const SummedLoss& loss) {
  const Phase phase("backward");
  backward(loss.loss);
}

}  // namespace

Learner::Learner(const TrainingConfig& training, Parameters& parameters)
    : training_(training),
      parameters_(parameters),
      optimizer_(parameters, optimizer_settings(training), training.clip_norm),
      blocks_(parameters, training.parts),
      tree_(parameters, blocks_) {}

void Learner::initialise() { parameters_.initialise(static_cast<uint64_t>(training_.seed)); }

void Learner::start_averaging() {
  if (training_.ema > 0) average_.emplace(parameters_, weight_average_settings(training_));
}

StepOutcome Learner::step(const Works& works, int64_t step, double learning_rate) {
  const Phase whole("step");
  const double flops_before = counted_flops();
  StepOutcome outcome;
  outcome.sums = forward_backward(works, step, Tape::Check::none);
  outcome.flops = counted_flops() - flops_before;
  outcome.update = update(outcome.sums, learning_rate);
  if (!outcome.update.finite) outcome.diagnosis = diagnose(works, step, outcome.sums);
  clear_gradients();  // validation needs their memory
  return outcome;
}

void Learner::clear_gradients() {
  parameters_.clear_gradients();
  tree_.clear();
}

UpdateReport Learner::update(const LossSums& sums, double learning_rate) {
  const Phase phase("update", update_work());
  if (!std::isfinite(sums.loss)) return {NAN, 1, false};
  const auto terms = static_cast<double>(std::max<int64_t>(1, sums.terms));
  const UpdateReport report =
      blocks_.parts == 1
          ? optimizer_.update(parameters_, learning_rate, 1 / terms)
          : optimizer_.update(parameters_, tree_.sum(), joined_norm(), learning_rate, 1 / terms);
  if (report.finite && average_) average_->follow(parameters_, optimizer_.steps());
  return report;
}

double Learner::joined_norm() {
  return norm_of_blocks(squares_of_blocks(tree_.sum(), blocks_, 0, blocks_.parts));
}

// The gradients are read twice, for the norm and for the update; the weights, the optimizer's state
// and the average are read and written.
Profile::Work Learner::update_work() {
  if (!Profile::current()) return {};
  const auto all = static_cast<double>(parameters_.flat_size());
  double numbers = all + all;
  if (average_) numbers += all;
  for (const StateWindow& window : optimizer_.state()) {
    numbers += static_cast<double>(window.values.size());
  }
  return {.bytes = 2 * numbers * sizeof(real)};
}

// Losses are sums over their terms; the optimizer divides once.
LossSums Learner::forward_backward(const Works& works, int64_t step, Tape::Check check) {
  const ProductPrecision rounding(product_precision(training_));
  const auto parts = static_cast<size_t>(blocks_.parts), count = works.size() / parts;
  require(works.size() % parts == 0, "Learner: {} micro-batches in {} parts", works.size(), parts);
  clear_gradients();
  LossSums sums;
  for (size_t part = 0; part < parts; ++part) {
    sums += run_part(std::span(works).subspan(part * count, count), static_cast<int64_t>(part),
                     step, check);
    if (parts == 1) continue;
    tree_.add_part();
    parameters_.clear_gradients();
  }
  return sums;
}

// Each tape has a number of its own within the step, which does not depend on other parts.
LossSums Learner::run_part(std::span<const std::unique_ptr<Work>> works, int64_t part, int64_t step,
                           Tape::Check check) {
  LossSums sums;
  auto number = static_cast<uint32_t>(part * std::ssize(works) * chunks_);
  const auto run = [&](const Work& work) {
    const Tape tape({static_cast<uint64_t>(training_.seed), static_cast<uint32_t>(step), number++},
                    check);
    const SummedLoss loss = forward(work);
    run_backward(loss);
    sums += loss.sums();
  };
  for (const auto& work : works) {
    if (chunks_ == 1) {
      run(*work);
    } else {
      for (const auto& chunk : work->split(chunks_)) run(*chunk);
    }
  }
  return sums;
}

int64_t Learner::memory_of_step(const Work& work, int64_t chunks) {
  const ProductPrecision rounding(product_precision(training_));
  Works parts = work.split(chunks);
  const auto tokens = [](const auto& part) { return part->size().tokens; };
  std::ranges::sort(parts, std::greater<>(), tokens);
  // With accumulation, a chunk's gradients are held while the next one runs.
  const size_t together = std::min<size_t>(parts.size(), 2);
  const bool accumulates = training_.accumulation > 1;
  clear_gradients();
  reset_peak_memory();
  std::vector<Buffer<real>> sums_of_parts;
  for (int64_t i = 0; blocks_.parts > 1 && i < GradientTree::buffers_for(blocks_.parts); ++i) {
    sums_of_parts.emplace_back(blocks_.size());
  }
  for (size_t i = 0; i < (accumulates ? size_t{2} : together); ++i) {
    const Tape tape({static_cast<uint64_t>(training_.seed), 0, static_cast<uint32_t>(i)});
    run_backward(forward(*parts[std::min(i, parts.size() - 1)]));
  }
  clear_gradients();
  return memory_statistics().peak;
}

// With check_finite, repeats the step with every op checked: dropout is a function of the step, so
// the same op produces the first value that is not finite. Otherwise, names what is visible now.
std::string Learner::diagnose(const Works& works, int64_t step, const LossSums& sums) {
  try {
    if (training_.check_finite) forward_backward(works, step, Tape::Check::finite);
  } catch (const NotFinite& error) {
    return error.what();
  }
  const Parameters::Entry* entry = blocks_.parts == 1 ? first_not_finite(parameters_)
                                                      : first_not_finite(parameters_, tree_.sum());
  if (entry) return fmt::format("the gradient of {} is not finite", entry->name);
  return std::isfinite(sums.loss) ? "the gradient is too large" : "the loss is not finite";
}

std::unique_ptr<WithAverage> Learner::averaged_weights() {
  return average_ ? std::make_unique<WithAverage>(*average_, parameters_) : nullptr;
}

// While the average is swapped in, its window holds the weights under training.
template <class Named>
std::vector<Named> Learner::windows() {
  std::vector<StateWindow> all = optimizer_.state();
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
std::vector<TensorSlot> Learner::optimizer_slots() { return windows<TensorSlot>(); }

void Learner::restored(int64_t optimizer_step) {
  optimizer_.resume_at(optimizer_step);
  if (average_) average_->swap(parameters_);
}

}  // namespace calque
