#include "optim/adafactor.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "optim/optimizer.h"
#include "small_model.h"
#include "support/worse.h"

using namespace calque;
using doctest::Approx;

namespace {

// Algorithms 4 and 5 as printed in the paper, with sums instead of means, for an n by m matrix. For
// a vector all of V is stored.
struct PlainAdafactor {
  size_t n, m;
  bool factored;
  std::vector<double> row = std::vector<double>(n), column = std::vector<double>(m);
  std::vector<double> full = std::vector<double>(n * m);

  std::vector<double> second_moments(const std::vector<double>& g, double beta) {
    const auto take = [&](double& sum, double part) { sum = beta * sum + (1 - beta) * part; };
    std::vector<double> squares(n * m), row_sums(n), column_sums(m);
    for (size_t i = 0; i < n * m; ++i) {
      squares[i] = g[i] * g[i] + 1e-30;
      row_sums[i / m] += squares[i];
      column_sums[i % m] += squares[i];
      take(full[i], squares[i]);
    }
    if (!factored) return full;
    for (size_t i = 0; i < n; ++i) take(row[i], row_sums[i]);
    for (size_t j = 0; j < m; ++j) take(column[j], column_sums[j]);
    const double all = std::accumulate(row.begin(), row.end(), 0.0);
    std::vector<double> v(n * m);
    for (size_t i = 0; i < n * m; ++i) v[i] = row[i / m] * column[i % m] / all;
    return v;
  }

  void step(std::vector<double>& w, const std::vector<double>& g, int t, double rate) {
    const std::vector<double> v = second_moments(g, 1 - std::pow(t, -0.8));
    const auto rms = [&](const std::vector<double>& x) {
      return std::sqrt(std::inner_product(x.begin(), x.end(), x.begin(), 0.0) / double(n * m));
    };
    std::vector<double> u(n * m);
    for (size_t i = 0; i < n * m; ++i) u[i] = g[i] / std::sqrt(v[i]);
    const double alpha = std::max(1e-3, rms(w)) * rate, clip = std::max(1.0, rms(u));
    for (size_t i = 0; i < n * m; ++i) w[i] -= alpha * u[i] / clip;
  }
};

std::vector<double> numbers(std::span<const real> from) { return {from.begin(), from.end()}; }

}  // namespace

// With |g| = a b^T the factored V is g^2 exactly, so the update is the gradient's sign.
TEST_CASE("Adafactor's first step for a gradient of rank one has the direction of its sign") {
  SmallModel model({{"w", {2, 3}}});
  model.set_values({{"w", {2, 2, 2, 2, 2, 2}}});
  model.set_gradients({{"w", {1, -2, 3, -10, 20, 30}}});
  Optimizer(model.parameters, AdafactorSettings{}).update(model.parameters, 0.1);
  const double sign[] = {1, -1, 1, -1, 1, 1};
  for (size_t i = 0; i < 6; ++i) CHECK(model.value("w", i) == Approx(2 - 0.2 * sign[i]));
}

TEST_CASE("Adafactor agrees with the paper's algorithm written out plainly") {
  struct Case {
    std::string name;
    Shape shape;
  };
  // One lane, not a whole vector, several chunks, a single row, a single axis.
  for (const Case& c :
       {Case{"tall", {700, 3}}, Case{"odd", {37, 53}}, Case{"row", {1, 40}}, Case{"bias", {75}}}) {
    CAPTURE(c.name);
    const Shape& shape = c.shape;
    SmallModel model({{"w", shape}});
    model.set_random_values();
    Optimizer optimizer(model.parameters, AdafactorSettings{});
    std::vector<double> expected = numbers(model.entry("w").values());
    PlainAdafactor plain{static_cast<size_t>(shape.rows()), static_cast<size_t>(shape.cols()),
                         shape.axes() == 2};
    for (int t = 1; t <= 5; ++t) {
      model.set_random_gradients(static_cast<uint32_t>(t), real(1) / real(t * t));
      plain.step(expected, numbers(model.entry("w").tensor.gradient().span()), t, 0.1);
      optimizer.update(model.parameters, 0.1);
    }
    double worst = 0;
    for (size_t i = 0; i < expected.size(); ++i) {
      worst = worse(worst, std::abs(model.value("w", i) - expected[i]));
    }
    CHECK(worst < (sizeof(real) == 4 ? 2e-6 : 1e-13));
  }
}

TEST_CASE("Adafactor stores row and column statistics of a matrix, and all moments of a vector") {
  SmallModel model({{"w", {30, 50}}, {"empty", {0, 5}}, {"b", {50}}, {"v", {10, 20}}});
  Optimizer optimizer(model.parameters, AdafactorSettings{});
  const auto state = optimizer.state();
  REQUIRE(state.size() == 3);
  CHECK(state[0].name == "adafactor.row");
  CHECK(state[0].values.size() == 40);
  CHECK(state[1].name == "adafactor.column");
  CHECK(state[1].values.size() == 70);
  CHECK(state[2].name == "adafactor.full");
  CHECK(state[2].values.size() == 50);
}

TEST_CASE("an absolute step does not depend on the weights") {
  SmallModel model({{"w", {1, 2}}});
  model.set_values({{"w", {100, 100}}});
  model.set_gradients({{"w", {1, 1}}});
  Optimizer optimizer(model.parameters, AdafactorSettings{.step_size = StepSize::absolute});
  optimizer.update(model.parameters, 0.5);
  CHECK(model.value("w") == Approx(99.5));
}

TEST_CASE("a row that never has a gradient does not move, and gives no NaN") {
  SmallModel model({{"w", {3, 20}}, {"b", {20}}});
  model.set_random_values();
  const std::vector<real> before = model.flat();
  Optimizer optimizer(model.parameters, AdafactorSettings{});
  for (int t = 1; t <= 3; ++t) {
    std::vector<double> gradient(60, 0.0);
    gradient[25] = t;
    model.set_gradients({{"w", gradient}});
    CHECK(optimizer.update(model.parameters, 0.1).finite);
  }
  const std::vector<real> after = model.flat();
  for (size_t i = 0; i < before.size(); ++i) CHECK((after[i] == before[i]) == (i != 25));
}

TEST_CASE("Adafactor's weights stay finite for any finite gradient norm") {
  SmallModel model({{"w", {4, 32}}});
  Optimizer optimizer(model.parameters, AdafactorSettings{});
  for (const double size : {1e5, 1e10, 1e15}) {
    std::vector<double> gradient(128, size);
    std::fill(gradient.begin() + 96, gradient.end(), 0);  // one row has no gradient
    model.set_gradients({{"w", gradient}});
    CHECK(optimizer.update(model.parameters, 0.01).finite);
    for (const real w : model.flat()) REQUIRE(std::isfinite(w));
  }
}

TEST_CASE("Adafactor refuses invalid settings") {
  const SmallModel model({{"w", {1}}});
  const auto refused = [&](const AdafactorSettings& settings) {
    CHECK_THROWS_AS(Optimizer(model.parameters, settings), Error);
  };
  refused({.decay_exponent = 0});
  refused({.epsilon1 = 0});
  refused({.epsilon1 = 1e-35});  // too small to be added step after step
  refused({.epsilon2 = -1});
  refused({.clip_threshold = 0});
  refused({.decay = {.rate = 0.1, .coupling = Coupling::coupled}});
}
