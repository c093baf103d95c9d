// What holds for every update rule: the same bits with any number of threads, exact saving and
// restoring, and padding that stays zero.
#include <doctest/doctest.h>

#include <cstring>

#include "optim/optimizer.h"
#include "optim/weight_average.h"
#include "small_model.h"
#include "support/threads.h"

using namespace calque;

namespace {

struct Rule {
  const char* name;
  OptimizerSettings settings;
};

std::vector<Rule> rules() {
  const WeightDecay decay{.rate = 0.01, .what = Decayed::matrices_but_embeddings};
  return {{"Adam", AdamSettings{}},
          {"AdamW", AdamSettings{.decay = decay}},
          {"SGD", SgdSettings{.decay = decay}},
          {"Nesterov", SgdSettings{.momentum = 0.9, .kind = Momentum::nesterov}},
          {"Adafactor", AdafactorSettings{.decay = decay}},
          {"Muon", MuonSettings{.decay = decay}}};
}

std::vector<real> copy_of(const SmallModel& model, const std::string& name) {
  const auto values = model.entry(name).values();
  return {values.begin(), values.end()};
}

// One model in training.
struct Training {
  SmallModel model = model_of_many_slices();
  Optimizer optimizer;
  WeightAverage average;

  explicit Training(const OptimizerSettings& settings)
      : optimizer((model.set_random_values(), model.parameters), settings, 1),
        average(model.parameters, {}) {}

  void run(uint32_t from, uint32_t to) {
    for (uint32_t step = from; step <= to; ++step) {
      model.set_random_gradients(step);
      optimizer.update(model.parameters, 0.01 / step, 0.5);
      average.follow(model.parameters, step);
    }
  }

  // Weights and state.
  std::vector<std::vector<real>> all() {
    std::vector<std::vector<real>> numbers{model.flat()};
    for (const StateWindow& window : windows()) {
      numbers.emplace_back(window.values.begin(), window.values.end());
    }
    return numbers;
  }
  std::vector<StateWindow> windows() {
    std::vector<StateWindow> all = optimizer.state();
    for (StateWindow& window : average.state()) all.push_back(std::move(window));
    return all;
  }
};

bool same_bits(const std::vector<std::vector<real>>& a, const std::vector<std::vector<real>>& b) {
  return std::ranges::equal(a, b, [](const auto& x, const auto& y) {
    return x.size() == y.size() && std::memcmp(x.data(), y.data(), x.size() * sizeof(real)) == 0;
  });
}

}  // namespace

TEST_CASE("every rule gives the same bits with 1, 2, 3 and 4 threads") {
  const Threads as_before;
  for (const Rule& rule : rules()) {
    CAPTURE(rule.name);
    set_threads(1);
    Training alone(rule.settings);
    alone.run(1, 4);
    for (const int count : {2, 3, 4}) {
      set_threads(count);
      Training together(rule.settings);
      together.run(1, 4);
      CHECK(same_bits(alone.all(), together.all()));
    }
  }
}

TEST_CASE("training that is saved after three steps and restored continues with the same bits") {
  for (const Rule& rule : rules()) {
    CAPTURE(rule.name);
    Training first(rule.settings);
    first.run(1, 3);
    const std::vector<std::vector<real>> saved = first.all();
    first.run(4, 6);

    Training second(rule.settings);
    second.optimizer.resume_at(3);
    std::ranges::copy(saved[0], second.model.parameters.values().begin());
    const std::vector<StateWindow> windows = second.windows();
    REQUIRE(windows.size() + 1 == saved.size());
    for (size_t i = 0; i < windows.size(); ++i) {
      REQUIRE(windows[i].values.size() == saved[i + 1].size());
      std::ranges::copy(saved[i + 1], windows[i].values.begin());
    }
    second.run(4, 6);
    CHECK(second.optimizer.steps() == 6);
    CHECK(same_bits(first.all(), second.all()));
  }
}

TEST_CASE("an update that throws is not counted as a step") {
  for (const Rule& rule : rules()) {
    CAPTURE(rule.name);
    Parameters parameters;
    parameters.add("weight", {3}, Role::weight, constant(1));
    Optimizer optimizer(parameters, rule.settings);
    CHECK_THROWS_AS(optimizer.update(parameters, 0.1), Misuse);  // there are no values yet
    CHECK(optimizer.steps() == 0);
  }
}

TEST_CASE("the padding between parameters stays zero in weights and state") {
  for (const Rule& rule : rules()) {
    CAPTURE(rule.name);
    Training training(rule.settings);
    training.run(1, 3);
    const auto gaps_are_zero = [&](std::span<const real> flat) {
      const auto& entries = training.model.parameters.entries();
      for (size_t i = 0; i < entries.size(); ++i) {
        const auto from = static_cast<size_t>(entries[i].offset + entries[i].shape.elements());
        const size_t to =
            i + 1 < entries.size() ? static_cast<size_t>(entries[i + 1].offset) : flat.size();
        for (size_t k = from; k < to; ++k) {
          if (flat[k] != 0) return false;
        }
      }
      return true;
    };
    CHECK(gaps_are_zero(training.model.parameters.values()));
    for (const StateWindow& window : training.windows()) {
      const bool flat = window.values.size() == training.model.parameters.values().size();
      CHECK((!flat || gaps_are_zero(window.values)));
    }
  }
}

TEST_CASE("the windows of the state have the names that checkpoints use") {
  const auto names = [](const OptimizerSettings& settings) {
    Training training(settings);
    std::vector<std::string> all;
    for (const StateWindow& window : training.windows()) all.push_back(window.name);
    return all;
  };
  using Names = std::vector<std::string>;
  CHECK(names(AdamSettings{}) == Names{"adam.m", "adam.v", "ema"});
  CHECK(names(SgdSettings{.momentum = 0.5}) == Names{"momentum", "ema"});
  CHECK(names(AdafactorSettings{}) ==
        Names{"adafactor.row", "adafactor.column", "adafactor.full", "ema"});
}

TEST_CASE("a parameter that received no gradient counts as having gradient 0") {
  SmallModel model({{"a", {1}}, {"b", {1}}});
  Optimizer optimizer(model.parameters, SgdSettings{});
  model.set_gradients({{"a", {1}}, {"b", {1}}});
  optimizer.update(model.parameters, 1);
  model.set_gradients({{"a", {1}}});  // clears b's gradient of the step before
  CHECK(optimizer.update(model.parameters, 1).gradient_norm == 1);
  CHECK(model.value("a") == -2);
  CHECK(model.value("b") == -1);
}

TEST_CASE("parameters of another size, and an invalid rate, gradient scale or step, are a Misuse") {
  SmallModel model({{"w", {1}}}), other({{"w", {100}}});
  Optimizer optimizer(model.parameters, SgdSettings{});
  CHECK_THROWS_AS(optimizer.update(other.parameters, 1), Misuse);
  CHECK_THROWS_AS(optimizer.update(model.parameters, -1), Misuse);
  CHECK_THROWS_AS(optimizer.update(model.parameters, std::nan("")), Misuse);
  CHECK_THROWS_AS(optimizer.update(model.parameters, 1, 0), Misuse);
  CHECK_THROWS_AS(optimizer.resume_at(-1), Misuse);
}

TEST_CASE(
    "every rule leaves a frozen parameter as it is, and updates the others as if it were absent") {
  for (const Rule& rule : rules()) {
    CAPTURE(rule.name);
    const std::vector<SmallModel::Part> parts = {
        {"a", {6, 40}}, {"table", {50, 40}, Role::embedding}, {"b", {7}, Role::bias}};
    SmallModel model(parts), without({parts[0], parts[2]});
    model.parameters.freeze("table");
    model.set_random_values();
    without.set_random_values();
    const std::vector<real> before = copy_of(model, "table");
    Optimizer optimizer(model.parameters, rule.settings, 1);
    Optimizer other(without.parameters, rule.settings, 1);
    for (uint32_t step = 1; step <= 3; ++step) {
      for (SmallModel* each : {&model, &without}) {
        each->parameters.clear_gradients();
        for (const char* name : {"a", "b"}) {
          const auto& entry = each->entry(name);
          fill_normal({.seed = step, .use = static_cast<uint32_t>(name[0])}, 0, 1,
                      {entry.tensor.gradient().open().data, entry.values().size()});
        }
      }
      const UpdateReport report = optimizer.update(model.parameters, 0.01, 0.5);
      CHECK(report.gradient_norm == other.update(without.parameters, 0.01, 0.5).gradient_norm);
    }
    CHECK(copy_of(model, "table") == before);
    for (const char* name : {"a", "b"}) CHECK(copy_of(model, name) == copy_of(without, name));
  }
}
