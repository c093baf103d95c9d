#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "optim/gradient_norm.h"
#include "optim/optimizer.h"
#include "small_model.h"
#include "support/threads.h"

using namespace calque;
using doctest::Approx;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

SmallModel model_of_norm_5() {
  SmallModel model({{"a", {1}}, {"b", {2}}});
  model.set_gradients({{"a", {3}}, {"b", {0, -4}}});
  return model;
}

}  // namespace

TEST_CASE("the gradient norm is taken over all parameters together") {
  CHECK(gradient_norm(model_of_norm_5().parameters) == 5);
}

TEST_CASE("a gradient longer than the limit is scaled to it, and a shorter one is unchanged") {
  SmallModel model = model_of_norm_5();
  UpdateReport report = Optimizer(model.parameters, SgdSettings{}, 1).update(model.parameters, 1);
  CHECK(report.gradient_norm == 5);
  CHECK(report.clip_factor == Approx(0.2));
  CHECK(report.finite);
  CHECK(model.value("a") == Approx(-0.6));
  CHECK(model.value("b", 1) == Approx(0.8));

  model = model_of_norm_5();
  report = Optimizer(model.parameters, SgdSettings{}, 5).update(model.parameters, 1);
  CHECK(report.clip_factor == 1);
  CHECK(model.value("a") == -3);
}

TEST_CASE("gradients are scaled before they are clipped, and the report has the scaled norm") {
  SmallModel model = model_of_norm_5();
  const UpdateReport report =
      Optimizer(model.parameters, SgdSettings{}, 1).update(model.parameters, 1, 0.5);
  CHECK(report.gradient_norm == 2.5);
  CHECK(report.clip_factor == Approx(0.4));
  CHECK(model.value("a") == Approx(-0.6));
}

TEST_CASE("the norm of many numbers has the precision of double, with any number of threads") {
  const SmallModel model({{"a", {1'000'000}}, {"b", {3}}});
  for (const Parameters::Entry& one : model.parameters.entries()) {
    std::fill_n(one.tensor.gradient().open().data, one.values().size(), real(0.001));
  }
  const double expected = double(real(0.001)) * std::sqrt(1'000'003.0);
  const Threads as_before;
  set_threads(1);
  const double norm = gradient_norm(model.parameters);
  CHECK(norm == Approx(expected).epsilon(1e-13));
  for (const int count : {2, 3, 4}) {
    set_threads(count);
    CHECK(gradient_norm(model.parameters) == norm);
  }
}

TEST_CASE("large gradients have a finite norm, and clipping makes them usable") {
  SmallModel model({{"w", {2}}});
  model.set_gradients({{"w", {3e25, -4e25}}});
  const UpdateReport report =
      Optimizer(model.parameters, SgdSettings{}, 1).update(model.parameters, 1);
  CHECK(report.finite);
  CHECK(report.gradient_norm == Approx(5e25).epsilon(1e-6));
  CHECK(model.value("w", 1) == Approx(0.8).epsilon(1e-6));
}

TEST_CASE("a gradient that is not finite leaves weights, moments and steps untouched") {
  const OptimizerSettings rules[] = {AdamSettings{}, SgdSettings{.momentum = 0.9},
                                     AdafactorSettings{}, MuonSettings{}};
  for (const OptimizerSettings& settings : rules) {
    for (const double bad : {std::nan(""), infinity, -infinity}) {
      SmallModel model = model_of_many_slices();
      model.set_random_values();
      Optimizer optimizer(model.parameters, settings, 1);
      model.set_random_gradients(1);
      optimizer.update(model.parameters, 0.1);

      const std::vector<real> weights = model.flat();
      std::vector<std::vector<real>> state;
      for (const StateWindow& window : optimizer.state()) {
        state.emplace_back(window.values.begin(), window.values.end());
      }
      model.set_random_gradients(2);
      model.entry("layers.0.bias").tensor.gradient().open().data[516] = static_cast<real>(bad);
      const UpdateReport report = optimizer.update(model.parameters, 0.1);

      CHECK(!report.finite);
      CHECK(!std::isfinite(report.gradient_norm));
      CHECK(optimizer.steps() == 1);
      CHECK(model.flat() == weights);
      for (size_t i = 0; i < state.size(); ++i) {
        CHECK(std::ranges::equal(optimizer.state()[i].values, state[i]));
      }
      REQUIRE(first_not_finite(model.parameters));
      CHECK(first_not_finite(model.parameters)->name == "layers.0.bias");
    }
  }
}

// Otherwise Adam's v would stay infinite, and the weight would never change again.
TEST_CASE("an unclipped gradient whose square overflows is refused like one that is not finite") {
  const double large = 2 * std::sqrt(double(std::numeric_limits<real>::max()));
  SmallModel model({{"w", {1}}});
  model.set_gradients({{"w", {large}}});
  CHECK(!Optimizer(model.parameters, AdamSettings{}).update(model.parameters, 0.1).finite);
  CHECK(model.value("w") == 0);
}

TEST_CASE("a clipping limit that is negative or NaN is refused") {
  const SmallModel model({{"w", {1}}});
  CHECK_THROWS_AS(Optimizer(model.parameters, SgdSettings{}, -1), Error);
  CHECK_THROWS_AS(Optimizer(model.parameters, SgdSettings{}, std::nan("")), Error);
}
