// What ends a run: limits, goals, patience and divergence.
#include <doctest/doctest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "train/step/divergence_guard.h"
#include "train/tasks/fixture.h"
#include "train/tasks/translation/run.h"
#include "train/trainer.h"

using namespace calque;

TEST_CASE("the guard against divergence can be turned off") {
  const TemporaryFolder folder;
  const std::string rising = "training.learning_rate=1";  // the loss soon rises
  CHECK_THROWS_WITH_AS(
      run(folder, {rising, "training.divergence_factor=1.01", "training.divergence_steps=1"}),
      doctest::Contains("training has diverged"), Error);
  CHECK(run(folder, {rising, "training.divergence_factor=0"}, "unwatched").ending ==
        Ending::finished);
}

TEST_CASE("a learning rate far too high ends in a diagnosis, with finite weights on disk") {
  const TemporaryFolder folder;
  const std::string message = message_of([&] {
    run(folder, {"training.learning_rate=1e30", "training.until=2000u", "training.optimizer=sgd",
                 "training.divergence_steps=20", "training.max_bad_steps=3"});
  });
  CHECK(message.find("training.learning_rate") != std::string::npos);
  CHECK(folder.read("run/train.log").find(", pairs ") != std::string::npos);
  CHECK(folder.read("run/train.log").ends_with("  ended by an error: " + message + "\n"));
  const nlohmann::json last = metrics_of(folder, "run", "event").back();
  CHECK(last["text"] == "ended by an error: " + message);
  CHECK(last["step"] > 0);
  const TranslationRun kept = open_translation_run(folder.path("run"));
  for (const real weight : kept.network->parameters.values()) REQUIRE(std::isfinite(weight));
}

TEST_CASE("training stops when patience runs out") {
  const TemporaryFolder folder;
  const TrainResult result =
      run(folder, {"training.learning_rate=1e-9", "training.patience=2", "training.metric=accuracy",
                   "training.until=500u", "training.validate_every=5u"});
  CHECK(result.ending == Ending::patience);
  CHECK(result.step < 500);
}

TEST_CASE("a limit in epochs, tokens or seconds ends a run with the update that reaches it") {
  const TemporaryFolder folder;
  const auto check_end = [&](const char* limit, double reached, const auto& so_far) {
    CAPTURE(limit);
    const TrainResult result = run(
        folder, {std::string("training.until=") + limit, "logging.every=1", "data.validation=[]"},
        limit);  // without validations, which take time too and may reach the limit
    CHECK(result.ending == Ending::finished);
    std::vector<double> course;
    for (const nlohmann::json& record : metrics_of(folder, limit, "train")) {
      course.push_back(so_far(record));
    }
    REQUIRE(std::ssize(course) == result.step);
    REQUIRE(course.size() >= 2);
    CHECK(course.back() >= reached);
    CHECK(course[course.size() - 2] < reached);
  };
  check_end("2e", 2, [](const nlohmann::json& record) { return double(record["epoch"]); });
  check_end("2000t", 2000, [](const nlohmann::json& record) { return double(record["tokens"]); });
  check_end("1s", 1,
            [](const nlohmann::json& record) { return double(record["timing"]["seconds"]); });
}

TEST_CASE(
    "a loss that stays far above its running mean ends training, one that falls again does not") {
  TrainingConfig training;
  training.divergence_factor = 3, training.divergence_steps = 4;
  Divergence memory;
  DivergenceGuard guard(training, memory);
  for (int step = 0; step < 10; ++step) guard.observe(2);
  for (int step = 0; step < 3; ++step) guard.observe(7);
  guard.observe(5);  // below 3 times 2
  CHECK(memory.steps_above == 0);
  for (int step = 0; step < 3; ++step) guard.observe(700);
  CHECK(memory.mean < 2.3);  // without the high losses
  CHECK_THROWS_WITH_AS(guard.observe(700),
                       doctest::Contains("training has diverged: the loss, 700"), Error);
  training.divergence_factor = 0;  // off
  for (int step = 0; step < 100; ++step) guard.observe(1e9);
}

TEST_CASE("a corpus that ends after its epochs and leaves harder ones is not a divergence") {
  const TemporaryFolder folder;
  const std::vector<std::string> settings = {
      "data.train=[{toy: copy, pairs: 200, symbols: 2, longest: 9, epochs: 5}, "
      "{toy: reverse, pairs: 200, longest: 6, weight: 0.05}]",
      "training.batch_tokens=64",
      "training.label_smoothing=0",
      "training.until=150u",
      "training.divergence_factor=2",
      "training.divergence_steps=5",
      "logging.every=1"};
  CHECK(run(folder, settings).ending == Ending::finished);
  double before = 0, after = 0;  // the second corpus is harder
  for (const nlohmann::json& record : metrics_of(folder, "run", "train")) {
    const double epoch = record["epoch"], loss = record["loss"];
    if (epoch > 4 && epoch < 5 && before == 0) before = loss;
    if (epoch > 5 && after == 0) after = loss;
  }
  CHECK(after > 2 * before);
}

TEST_CASE("a run ends at the validation that reaches the goal of training.until") {
  const TemporaryFolder folder;
  const std::vector<std::string> easy = {"training.until=[loss<=100, 30u]"};
  const TrainResult result = run(folder, easy);
  CHECK(result.ending == Ending::finished);
  CHECK(result.step == 10);  // the first validation
  CHECK(run(folder, easy).ending == Ending::already_finished);
  CHECK(run(folder, {"training.until=[loss<=0, 30u]"}).step == 30);
}
