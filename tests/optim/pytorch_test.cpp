// Optimizers and schedules against PyTorch, with the same weights and gradients, recorded in double
// by tests/reference/optim_record.py.
#include <doctest/doctest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "optim/optimizer.h"
#include "optim/schedule.h"
#include "small_model.h"
#include "support/folders.h"
#include "support/worse.h"

using namespace calque;
using doctest::Approx;

namespace {

nlohmann::json record() {
  std::ifstream file(CALQUE_SOURCE_DIR "/tests/reference/optim.json");
  return nlohmann::json::parse(file);
}

// The settings of a recorded case, and the learning rate that it used.
OptimizerSettings settings_of(const std::string& name) {
  const WeightDecay coupled{0.1, Decayed::everything, Coupling::coupled};
  const WeightDecay decoupled{0.1, Decayed::everything, Coupling::decoupled};
  if (name == "adam large epsilon") return AdamSettings{0.8, 0.999, 0.1, {}};
  if (name == "adam coupled decay") return AdamSettings{0.9, 0.98, 1e-9, coupled};
  if (name == "adamw") return AdamSettings{0.9, 0.999, 1e-8, decoupled};
  if (name.starts_with("adam")) return AdamSettings{0.9, 0.98, 1e-9, {}};
  if (name == "sgd decay") return SgdSettings{0, Momentum::classical, coupled};
  if (name == "momentum") return SgdSettings{0.9, Momentum::classical, {}};
  if (name == "nesterov") return SgdSettings{0.9, Momentum::nesterov, {}};
  if (name == "nesterov decay") return SgdSettings{0.9, Momentum::nesterov, coupled};
  return SgdSettings{};
}
constexpr double rate = 0.01;

// PyTorch's clipping adds 1e-6 to the norm, so clipped cases agree less closely even in double.
double tolerance(bool clipped) { return sizeof(real) == 4 || clipped ? 1e-6 : 1e-12; }

// The largest difference, relative to the largest weight.
double difference(const SmallModel& model, const nlohmann::json& expected) {
  double worst = 0, largest = 0;
  for (const auto& [name, numbers] : expected.get<NamedValues>()) {
    for (size_t i = 0; i < numbers.size(); ++i) {
      worst = worse(worst, std::abs(model.value(name, i) - numbers[i]));
      largest = std::max(largest, std::abs(numbers[i]));
    }
  }
  return worst / largest;
}

}  // namespace

TEST_CASE("ten steps of Adam, AdamW and SGD, clipped or not, end in PyTorch's weights") {
  const nlohmann::json recorded = record();
  REQUIRE(recorded["cases"].size() == 11);
  for (const auto& [which, expected] : recorded["cases"].items()) {
    const auto& name = which;
    CAPTURE(name);
    const bool clipped = name.ends_with("clipped");
    SmallModel model({{"weight", {3, 5}}, {"bias", {7}}});
    model.set_values(recorded["initial"].get<NamedValues>());
    Optimizer optimizer(model.parameters, settings_of(name), clipped ? 8 : 0);
    const auto norms = expected["norms"].get<std::vector<double>>();
    int clips = 0;
    for (size_t step = 0; step < norms.size(); ++step) {
      model.set_gradients(recorded["gradients"][step].get<NamedValues>());
      const UpdateReport report = optimizer.update(model.parameters, rate);
      CHECK(report.gradient_norm == Approx(norms[step]).epsilon(1e-12));
      clips += report.clip_factor < 1;
      if (step == 0) CHECK(difference(model, expected["after_first"]) < tolerance(clipped));
    }
    CHECK(clips == (clipped ? 5 : 0));
    CHECK(difference(model, expected["after_last"]) < tolerance(clipped));
  }
}

TEST_CASE("ten steps of Muon, with and without decay, end in PyTorch's weights") {
  const nlohmann::json recorded = record()["muon"];
  REQUIRE(recorded["cases"].size() == 2);
  for (const auto& [name, expected] : recorded["cases"].items()) {
    CAPTURE(name);
    SmallModel model({{"wide", {3, 5}}, {"tall", {6, 2}}, {"square", {4, 4}}});
    model.set_values(recorded["initial"].get<NamedValues>());
    MuonSettings settings;
    if (name == "muon decay") settings.decay = {0.1, Decayed::everything};
    Optimizer optimizer(model.parameters, settings);
    for (int step = 0; step < 10; ++step) {
      model.set_gradients(recorded["gradients"][step].get<NamedValues>());
      optimizer.update(model.parameters, rate);
      if (step == 0) CHECK(difference(model, expected["after_first"]) < tolerance(false));
    }
    CHECK(difference(model, expected["after_last"]) < tolerance(false));
  }
}

TEST_CASE("noam, cosine and linear have PyTorch's rates") {
  const nlohmann::json schedules = record()["schedules"];
  const auto compare = [](const Schedule& schedule, int64_t first, const nlohmann::json& rates) {
    for (size_t i = 0; i < rates.size(); ++i) {
      CHECK(learning_rate(schedule, first + static_cast<int64_t>(i)) ==
            Approx(rates[i].get<double>()).epsilon(1e-12));
    }
  };
  // The recordings of falling schedules begin at the peak, the end of a warm-up of 7 steps.
  const Warmup warmup{.peak = 0.5, .warmup_steps = 7};
  compare(Noam{.factor = 2, .d_model = 512, .warmup_steps = 10}, 1, schedules["noam"]);
  compare(CosineDecay{warmup, 27, 0.1}, 7, schedules["cosine from 0.5 to 0.1 in 20"]);
  compare(LinearDecay{warmup, 27, 0.1}, 7, schedules["linear from 0.5 to 0.1 in 20"]);
}
