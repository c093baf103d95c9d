// Steps of several parts: training.parts.
#include <doctest/doctest.h>

#include <cmath>

#include "core/memory/pool.h"
#include "support/threads.h"
#include "train/pair_work.h"
#include "train/step/learner.h"
#include "train/tasks/task_model.h"
#include "train/trainer_fixture.h"

using namespace calque;

namespace {

const TransformerOptions options{.layer = {.d_model = 8, .d_ff = 16, .heads = 2, .dropout = 0.25},
                                 .source_vocabulary = 10,
                                 .target_vocabulary = 10,
                                 .encoder_layers = 1,
                                 .decoder_layers = 1};
const std::vector<int32_t> words = {3, 4, 5, 6, 7, 8};

struct OneStep {
  std::vector<real> moved;  // how far each weight fell
  UpdateReport update;
};

// A step of plain gradient descent with rate 1 over batches of one pair, the i-th of i + 1 words.
OneStep step_of(TrainingConfig training, size_t batches) {
  training.optimizer = TrainingConfig::Optimizer::sgd;
  training.momentum = 0;
  TaskModel<Transformer> network{options};
  Learner learner(training, network.parameters);
  learner.initialise();
  Works works;
  for (size_t i = 0; i < batches; ++i) {
    const auto count = static_cast<int64_t>(i) + 1;
    works.push_back(tests::pair_work(
        network.model, training,
        {{{words.begin(), words.begin() + count}, {words.end() - count, words.end()}}}));
  }
  const std::span<const real> values = network.parameters.values();
  std::vector<real> moved(values.begin(), values.end());
  const StepOutcome outcome = learner.step(works, 0, 1);
  for (size_t i = 0; i < moved.size(); ++i) moved[i] -= values[i];
  return {moved, outcome.update};
}

}  // namespace

TEST_CASE("a step of parts equals a step of as many accumulated batches, up to rounding") {
  TrainingConfig parts, accumulation, both;
  parts.parts = 4, accumulation.accumulation = 4;
  both.parts = 2, both.accumulation = 2;
  const OneStep one = step_of(accumulation, 4);
  for (const TrainingConfig& training : {parts, both}) {
    const OneStep other = step_of(training, 4);
    CHECK(other.update.gradient_norm == doctest::Approx(one.update.gradient_norm).epsilon(1e-5));
    double apart = 0;
    for (size_t i = 0; i < one.moved.size(); ++i) {
      apart = std::max(apart, std::abs(double(one.moved[i] - other.moved[i])));
    }
    CHECK(apart < 1e-5);  // the dropout is the same, too
    CHECK(other.moved != one.moved);
  }
}

TEST_CASE("a step of parts has the same bits with any number of threads") {
  const Threads as_before;
  TrainingConfig training;
  training.parts = 4;
  set_threads(1);
  const OneStep alone = step_of(training, 4);
  for (const int count : {2, 3}) {
    set_threads(count);
    const OneStep together = step_of(training, 4);
    CHECK(together.moved == alone.moved);
    CHECK(together.update.gradient_norm == alone.update.gradient_norm);
  }
}

TEST_CASE("a step releases the memory of its parts") {
  TrainingConfig training;
  training.parts = 2;
  step_of(training, 2);
  const int64_t before = memory_statistics().used;
  step_of(training, 2);
  CHECK(memory_statistics().used == before);
}

TEST_CASE("training.parts must be a power of two, and cannot change when a run is resumed") {
  CHECK(message_of([] { config({"training.parts=6"}); }).find("use 4 or 8") != std::string::npos);
  const TemporaryFolder folder;
  run(folder, {"training.parts=2", "training.until=10u"});
  const std::string message = message_of([&] { run(folder, {"training.parts=4"}); });
  CHECK_MESSAGE(message.find("training.parts: 2 -> 4") != std::string::npos, message);
}

TEST_CASE("a run of several parts ends with an error if its steps are not finite") {
  const TemporaryFolder folder;
  const std::string message = message_of([&] {
    run(folder, {"training.parts=2", "training.learning_rate=1e30", "training.max_bad_steps=2"});
  });
  CHECK_MESSAGE(message.find("not finite") != std::string::npos, message);
}
