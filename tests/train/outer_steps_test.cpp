// Steps of several updates by each part: training.outer_steps.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "core/ops.h"
#include "train/pair_work.h"
#include "train/step/learner.h"
#include "train/tasks/task_model.h"

using namespace calque;

namespace {

// The loss f w over `terms` terms, which moves a weight by rate f / terms.
struct LinearInWeight final : Work {
  LinearInWeight(const Tensor& w, real f, int64_t t) : weight(w), factor(f), terms(t) {}
  SummedLoss forward() const override { return {sum(affine(weight, factor, 0)), 1, 0, terms}; }
  WorkSize size() const override { return {1, 1}; }
  Works split(int64_t) const override { return {}; }
  std::string where() const override { return "a number"; }
  Tensor weight;
  real factor;
  int64_t terms;
};

// The loss f w^2, which multiplies a weight by 1 - 2 rate f.
struct SquareOfWeight final : Work {
  SquareOfWeight(const Tensor& w, real f) : weight(w), factor(f) {}
  SummedLoss forward() const override { return {sum(affine(weight * weight, factor, 0)), 1, 0, 1}; }
  WorkSize size() const override { return {1, 1}; }
  Works split(int64_t) const override { return {}; }
  std::string where() const override { return "a number"; }
  Tensor weight;
  real factor;
};

TrainingConfig two_parts() {
  TrainingConfig training;
  training.parts = 2;
  training.outer_steps = 2;
  training.outer_rate = 0.5;
  training.outer_momentum = 0.5;
  training.optimizer = TrainingConfig::Optimizer::sgd;
  training.momentum = 0;
  return training;
}

struct OneNumber {
  explicit OneNumber(const TrainingConfig& training) {
    weight = parameters.add("weight", {1}, Role::weight, constant(1));
    parameters.allocate();
    learner.emplace(training, parameters);
    learner->initialise();
  }
  // The factors in the order of the works: the first update of each part, then the second.
  StepOutcome linear(std::initializer_list<real> factors, double rate, int64_t terms = 1) {
    Works works;
    for (const real f : factors)
      works.push_back(std::make_unique<LinearInWeight>(weight, f, terms));
    return learner->step(works, step++, rate);
  }
  real value() const { return weight.span()[0]; }

  Parameters parameters;
  Tensor weight;
  std::optional<Learner> learner;
  int64_t step = 0;
};

}  // namespace

TEST_CASE("an outer step has the value computed by hand") {
  OneNumber one(two_parts());
  // The parts' weights fall by (1 + 3) / 8 and (2 + 4) / 8, on average by d = 5 / 8. The outer
  // momentum becomes m = d, and w = 1 - (d + m / 2) / 2.
  const StepOutcome outcome = one.linear({1, 2, 3, 4}, 0.125);
  CHECK(one.value() == real(1 - 15.0 / 32));
  CHECK(outcome.update.gradient_norm == doctest::Approx(5.0 / 8));
  CHECK(outcome.sums.terms == 4);
  // m = d / 2 + d = 15 / 16.
  one.linear({1, 2, 3, 4}, 0.125);
  CHECK(one.value() == real(1 - 15.0 / 32 - (5.0 / 8 + 15.0 / 32) / 2));
  CHECK(one.learner->updates() == 2);
}

TEST_CASE("each update of a part is divided by its own terms") {
  OneNumber one(two_parts());
  one.linear({4, 8, 12, 16}, 0.125, 4);
  CHECK(one.value() == real(1 - 15.0 / 32));
}

TEST_CASE("the optimizers of the parts keep their state from step to step") {
  TrainingConfig training = two_parts();
  training.momentum = 0.5;
  training.outer_momentum = 0;
  OneNumber one(training);
  // Part 0 has the velocities 1 and 3.5, so its weight falls by 4.5 / 8; part 1 has 2 and 5.
  one.linear({1, 2, 3, 4}, 0.125);
  CHECK(one.value() == real(1 - 11.5 / 32));
  // In the next step the velocities are 2.75 and 4.375, and 4.5 and 6.25.
  one.linear({1, 2, 3, 4}, 0.125);
  CHECK(one.value() == real(1 - 11.5 / 32 - (7.125 + 10.75) / 32));
}

TEST_CASE("each part updates weights of its own") {
  TrainingConfig training = two_parts();
  training.outer_rate = 1;
  training.outer_momentum = 0;
  OneNumber one(training);
  Works works;
  for (const int f : {1, 0, 1, 1})
    works.push_back(std::make_unique<SquareOfWeight>(one.weight, real(f)));
  one.learner->step(works, 0, 0.25);  // each factor of 1 halves the part's weight
  CHECK(one.value() == real((0.25 + 0.5) / 2));
}

TEST_CASE("a step in which an update is not finite changes no weight, and has a diagnosis") {
  TrainingConfig training = two_parts();
  OneNumber one(training);
  one.linear({1, 2, 3, 4}, 0.125);
  const real before = one.value();
  const StepOutcome outcome = one.linear({1, 2, 3, std::numeric_limits<real>::infinity()}, 0.125);
  CHECK_FALSE(outcome.update.finite);
  CHECK_FALSE(outcome.diagnosis.empty());
  CHECK(one.value() == before);
  CHECK(one.learner->updates() == 1);
  CHECK(one.linear({1, 2, 3, 4}, 0.125).update.finite);
  CHECK(one.value() == real(1 - 15.0 / 32 - (5.0 / 8 + 15.0 / 32) / 2));
}

TEST_CASE("a step that is skipped leaves the optimizers of the parts as they were") {
  TrainingConfig training = two_parts();
  training.optimizer = TrainingConfig::Optimizer::adam;
  OneNumber plain(training), skipping(training);
  constexpr real infinity = std::numeric_limits<real>::infinity();
  for (OneNumber* one : {&plain, &skipping}) one->linear({1, 2, 3, 4}, 0.125);
  // Part 0 makes both updates and part 1 the first of them.
  CHECK_FALSE(skipping.linear({5, 6, 7, infinity}, 0.125).update.finite);
  for (OneNumber* one : {&plain, &skipping}) one->linear({2, 1, -1, 3}, 0.125);
  CHECK(skipping.value() == plain.value());
}

TEST_CASE("one update by each part and an outer rate of 1 are a synchronous step, up to rounding") {
  const TransformerOptions options{.layer = {.d_model = 8, .d_ff = 16, .heads = 2, .dropout = 0.25},
                                   .source_vocabulary = 10,
                                   .target_vocabulary = 10,
                                   .encoder_layers = 1,
                                   .decoder_layers = 1};
  TrainingConfig training;
  training.parts = 4;
  training.optimizer = TrainingConfig::Optimizer::sgd;
  training.momentum = 0;
  training.outer_rate = 1;
  training.outer_momentum = 0;
  const std::vector<int32_t> words = {3, 4, 5, 6, 7, 8};
  const auto moved = [&](int64_t outer_steps) {
    training.outer_steps = outer_steps;
    TaskModel<Transformer> network{options};
    Learner learner(training, network.parameters);
    learner.initialise();
    Works works;
    for (size_t i = 0; i < 4; ++i) {  // as many words each
      const auto word = words.begin() + static_cast<int64_t>(i);
      works.push_back(tests::pair_work(network.model, training,
                                       {{{words.begin(), word + 1}, {word, word + 3}}}));
    }
    const std::span<const real> values = network.parameters.values();
    std::vector<real> by(values.begin(), values.end());
    CHECK(learner.step(works, 0, 0.5).update.finite);
    for (size_t i = 0; i < by.size(); ++i) by[i] -= values[i];
    return by;
  };
  const std::vector<real> together = moved(0), apart = moved(1);
  double most = 0, largest = 0;
  for (size_t i = 0; i < together.size(); ++i) {
    most = std::max(most, std::abs(double(together[i] - apart[i])));
    largest = std::max(largest, std::abs(double(together[i])));
  }
  CHECK(largest > 1e-2);
  CHECK(most < 1e-6);
}
