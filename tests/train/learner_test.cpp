// One step of training: what the settings do to it.
#include "train/learner.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "core/memory.h"
#include "support/worse.h"
#include "train/memory_fit.h"

using namespace calque;

namespace {

const TransformerOptions options{.source_vocabulary = 10,
                                 .target_vocabulary = 10,
                                 .d_model = 8,
                                 .d_ff = 16,
                                 .heads = 2,
                                 .encoder_layers = 1,
                                 .decoder_layers = 1,
                                 .dropout = 0};
const std::vector<int32_t> words = {3, 4, 5, 6, 7};

Batch five_pairs() {
  Batch batch;
  for (size_t i = 1; i <= 5; ++i) {
    append_pair(std::span(words).first(i), std::span(words).last(i), static_cast<int64_t>(i),
                batch);
  }
  return batch;
}

// The first step of plain gradient descent with rate 1, and how far it moved the weights.
struct FirstStep {
  StepOutcome outcome;
  double moved = 0;
};
FirstStep first_step(TrainingConfig training) {
  training.optimizer = TrainingConfig::Optimizer::sgd;
  training.momentum = 0;
  training.weight_decay = 0;
  Learner learner(training, options, 1);
  learner.initialise();
  const std::span<const real> values = learner.model.parameters.values();
  const std::vector<real> before(values.begin(), values.end());
  const Batch batch = five_pairs();
  FirstStep step{learner.step(std::span(&batch, 1), 0, 1)};
  for (size_t i = 0; i < before.size(); ++i) {
    step.moved += std::pow(double(values[i]) - double(before[i]), 2);
  }
  step.moved = std::sqrt(step.moved);
  return step;
}

}  // namespace

TEST_CASE("a gradient longer than clip_norm moves the weights as far as one of that norm") {
  TrainingConfig training;
  training.clip_norm = 0;
  const FirstStep whole = first_step(training);
  CHECK(whole.moved == doctest::Approx(whole.outcome.update.gradient_norm).epsilon(1e-4));
  training.clip_norm = 0.5 * whole.moved;
  const FirstStep clipped = first_step(training);
  CHECK(clipped.moved == doctest::Approx(0.5 * whole.moved).epsilon(1e-4));
  CHECK(clipped.outcome.update.gradient_norm == whole.outcome.update.gradient_norm);
  training.clip_norm = 2 * whole.moved;
  CHECK(first_step(training).moved == whole.moved);
}

TEST_CASE("the loss of a step is smoothed as label_smoothing says, its likelihood is not") {
  TrainingConfig training;
  const auto sums = [&](double label_smoothing) {
    training.label_smoothing = label_smoothing;
    return first_step(training).outcome.sums;
  };
  const LossSums plain = sums(0), some = sums(0.1), more = sums(0.3);
  CHECK(plain.tokens == 20);  // 1 to 5 words, and </s>
  CHECK(plain.loss == doctest::Approx(plain.nll));
  CHECK(some.nll == doctest::Approx(plain.nll));
  // (1 - e) times the likelihood and e times the mean over the vocabulary: linear in e.
  CHECK(std::abs(some.loss - plain.loss) > 1e-3);
  CHECK(more.loss - plain.loss == doctest::Approx(3 * (some.loss - plain.loss)).epsilon(1e-3));
}

TEST_CASE(
    "after a step no gradients are held, which a validation would have beside its own needs") {
  Learner learner(TrainingConfig{}, options, 1);
  learner.initialise();
  const Batch batch = five_pairs();
  learner.step(std::span(&batch, 1), 0, 1e-3);
  const int64_t held = memory_statistics().used;
  learner.model.parameters.clear_gradients();
  CHECK(memory_statistics().used == held);
}

TEST_CASE("a step that is not finite is made again to find the op, unless that is not wanted") {
  const auto forwards = [](bool check, std::string& diagnosis) {
    TrainingConfig training;
    training.check_finite = check;
    Learner learner(training, options, 1);
    learner.initialise();
    learner.model.parameters.values()[0] = std::numeric_limits<real>::quiet_NaN();
    Profile profile;
    const Profiling profiling(profile);
    const Batch batch = five_pairs();
    const StepOutcome outcome = learner.step(std::span(&batch, 1), 0, 1);
    CHECK(!outcome.update.finite);
    diagnosis = outcome.diagnosis;
    return profile.sum_of("forward", Profile::Kind::phase).calls;
  };
  std::string with, without;
  CHECK(forwards(true, with) == 2);
  CHECK(forwards(false, without) == 1);
  CHECK(!with.empty());
  CHECK_MESSAGE(without.ends_with("not finite"), without);
  CHECK(with != without);
}

TEST_CASE("a batch in pieces has the same sentences, and nearly the same step") {
  const Batch batch = five_pairs();
  const std::vector<Batch> parts = split_batch(batch, 3);
  CHECK(parts.size() >= 3);
  std::vector<int64_t> lines;
  int64_t tokens = 0;
  for (const Batch& part : parts) {
    lines.insert(lines.end(), part.lines.begin(), part.lines.end());
    tokens += part.target_segments.tokens();
  }
  CHECK(lines == batch.lines);
  CHECK(tokens == batch.target_segments.tokens());

  // With short sentences the pieces are as many as asked for, and as good as equal.
  Batch many;
  for (int64_t i = 0; i < 100; ++i) {
    append_pair(std::span(words), std::span(words).first(1 + i % 5), i, many);
  }
  for (const int64_t pieces : {2, 3, 4, 7}) {
    const std::vector<Batch> equal = split_batch(many, pieces);
    CHECK(std::ssize(equal) == pieces);
    for (const Batch& part : equal) {
      CHECK(part.target_segments.tokens() <= largest_piece(many.target_segments.tokens(), pieces));
    }
  }

  TrainingConfig training;
  Learner whole(training, options, 1), split(training, options, 3);
  whole.initialise();
  split.initialise();
  const StepOutcome a = whole.step(std::span(&batch, 1), 0, 0.001);
  const StepOutcome b = split.step(std::span(&batch, 1), 0, 0.001);
  CHECK(a.sums.loss == doctest::Approx(b.sums.loss));
  CHECK(a.update.gradient_norm == doctest::Approx(b.update.gradient_norm));
}
