#include "optim/muon.h"

#include <doctest/doctest.h>

#include <cmath>

#include "optim/optimizer.h"
#include "small_model.h"
#include "support/worse.h"

using namespace calque;
using doctest::Approx;

namespace {

// |x^T v|^2 / |v|^2 for random vectors v along the shorter side: its least and its largest value.
std::pair<double, double> squared_stretch(const std::vector<real>& x, int64_t rows, int64_t cols) {
  const int64_t side = std::min(rows, cols), along = std::max(rows, cols);
  const int64_t step = rows <= cols ? cols : 1, stride = rows <= cols ? 1 : cols;
  double least = 100, largest = 0;
  for (uint64_t trial = 0; trial < 50; ++trial) {
    std::vector<real> v(static_cast<size_t>(side));
    fill_normal({.seed = 100 + trial}, 0, 1, v);
    double length = 0, image = 0;
    for (const real number : v) length += double(number) * double(number);
    for (int64_t k = 0; k < along; ++k) {
      double sum = 0;
      for (int64_t i = 0; i < side; ++i) sum += double(v[i]) * double(x[i * step + k * stride]);
      image += sum * sum;
    }
    least = std::min(least, image / length);
    largest = worse(largest, image / length);
  }
  return {least, largest};
}

}  // namespace

TEST_CASE("orthogonalise brings the singular values of a matrix to between 0.7 and 1.2") {
  for (const auto& [rows, cols] : {std::pair<int64_t, int64_t>{8, 200}, {200, 8}, {31, 64}}) {
    CAPTURE(rows);
    std::vector<real> x(static_cast<size_t>(rows * cols));
    fill_normal({.seed = 3}, 0, 5, x);
    orthogonalise(x, rows, cols);
    const auto [least, largest] = squared_stretch(x, rows, cols);
    CHECK(least > 0.7 * 0.7);
    CHECK(largest < 1.2 * 1.2);
  }
}

TEST_CASE("orthogonalise leaves a matrix of zeros as it is") {
  std::vector<real> x(12);
  orthogonalise(x, 3, 4);
  CHECK(x == std::vector<real>(12));
}

// With one singular value s > 0 the iteration maps s / s = 1 to the same number five times over.
TEST_CASE("a first step for a gradient of rank one moves along it, whatever its size") {
  const auto polynomial = [](double s) {
    return s * (3.4445 + s * s * (-4.7750 + s * s * 2.0315));
  };
  double value = 1;
  for (int i = 0; i < 5; ++i) value = polynomial(value);
  for (const double size : {1.0, 1000.0}) {
    SmallModel model({{"w", {2, 3}}});
    model.set_gradients({{"w", {3 * size, 0, 4 * size, 0, 0, 0}}});
    Optimizer(model.parameters, MuonSettings{}).update(model.parameters, 0.1);
    const double moved = 0.1 * 0.2 * std::sqrt(3.0) * value;
    CHECK(model.value("w", 0) == Approx(-moved * 0.6));
    CHECK(model.value("w", 2) == Approx(-moved * 0.8));
    CHECK(std::abs(model.value("w", 4)) < 1e-6);
  }
}

TEST_CASE("embeddings, outputs, biases and gains follow Adam") {
  const std::vector<SmallModel::Part> parts = {{"table", {5, 3}, Role::embedding},
                                               {"output", {5, 3}, Role::output},
                                               {"bias", {4}, Role::bias},
                                               {"gain", {4}, Role::gain},
                                               {"vector", {1, 6}, Role::weight}};
  SmallModel muon(parts), adam(parts);
  Optimizer by_muon(muon.parameters, MuonSettings{}), by_adam(adam.parameters, AdamSettings{});
  for (uint32_t step = 1; step <= 3; ++step) {
    for (SmallModel* model : {&muon, &adam}) model->set_random_gradients(step);
    by_muon.update(muon.parameters, 0.01);
    by_adam.update(adam.parameters, 0.01);
  }
  CHECK(muon.flat() == adam.flat());
}

TEST_CASE("Muon refuses settings outside their range") {
  const SmallModel model({{"w", {2, 2}}});
  CHECK_THROWS_AS(Optimizer(model.parameters, MuonSettings{.momentum = 1}), Error);
  CHECK_THROWS_AS(Optimizer(model.parameters, MuonSettings{.scale = 0}), Error);
  CHECK_THROWS_AS(Optimizer(model.parameters, MuonSettings{.epsilon = 0}), Error);
  CHECK_THROWS_AS(
      Optimizer(model.parameters, MuonSettings{.decay = {.rate = 0.1,
                                                         .what = Decayed::matrices,
                                                         .coupling = Coupling::coupled}}),
      Error);
}
