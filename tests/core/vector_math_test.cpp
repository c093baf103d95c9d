// exp, log, log1p, tanh and the normal distribution against the standard library, over all their
// range.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "core/simd/math.h"
#include "support/worse.h"

using namespace calque;

namespace {

// The largest relative error over many points of [low, high].
template <class Vectorised, class Exact>
double worst(double low, double high, Vectorised vectorised, Exact exact) {
  double error = 0;
  constexpr int points = 100003;
  for (int i = 0; i < points; ++i) {
    const auto x = static_cast<real>(low + (high - low) * i / (points - 1));
    const double right = exact(double(x)), got = double(vectorised(broadcast(x))[lanes - 1]);
    error = worse(error, std::abs(got - right) / std::max(std::abs(right), 1e-37));
  }
  return error;
}

real at(Vec v) { return v[0]; }

constexpr double tolerance = 1e-6;

}  // namespace

TEST_CASE("the vectorised functions are as exact as single precision allows") {
  CHECK(worst(
            -87, 88, [](Vec v) { return exp(v); }, [](double x) { return std::exp(x); }) <
        tolerance);
  CHECK(worst(
            1e-30, 3, [](Vec v) { return log(v); }, [](double x) { return std::log(x); }) < 2e-6);
  CHECK(worst(
            3, 1e30, [](Vec v) { return log(v); }, [](double x) { return std::log(x); }) <
        tolerance);
  const auto log_of_one_more = [](Vec v) { return log1p(v); };
  const auto exact_log1p = [](double x) { return std::log1p(x); };
  for (const double end : {1e-30, 1e-20, 1e-9, 1e-6, 1e-3, 0.1, 0.999}) {
    CHECK(worst(-end, end, log_of_one_more, exact_log1p) < tolerance);
  }
  CHECK(worst(0.999, 9, log_of_one_more, exact_log1p) < tolerance);
  CHECK(worst(9, 1e30, log_of_one_more, exact_log1p) < tolerance);
  CHECK(worst(
            -80, 80, [](Vec v) { return softplus(v); },
            [](double x) {
              return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x));
            }) < tolerance);
  CHECK(worst(
            -9, 9, [](Vec v) { return tanh(v); }, [](double x) { return std::tanh(x); }) <
        tolerance);
  const auto below = [](Vec v) { return gauss(v).below; };
  const auto bell = [](Vec v) { return gauss(v).bell; };
  const auto exact_below = [](double x) { return std::erfc(-x * std::sqrt(0.5)) / 2; };
  CHECK(worst(-4, 9, below, exact_below) < 2e-6);
  // Far out the rounding of x^2 alone, up to 81 units in the last place, changes exp(-x^2 / 2).
  CHECK(worst(-12.7, -4, below, exact_below) < 1e-5);
  CHECK(worst(-13, 13, bell, [](double x) { return std::exp(-x * x / 2); }) < 1e-5);
  CHECK(worst(
            -80, 80, [](Vec v) { return sigmoid(v); },
            [](double x) { return 1 / (1 + std::exp(-x)); }) < tolerance);
}

TEST_CASE("exp, log and log1p agree with the standard library at the ends of their range") {
  constexpr real infinity = std::numeric_limits<real>::infinity();
  CHECK(at(exp(broadcast(-infinity))) == 0);
  CHECK(at(exp(broadcast(real(-1000)))) == 0);
  CHECK(at(exp(broadcast(real(1000)))) == infinity);
  CHECK(at(exp(broadcast(0))) == 1);
  CHECK(std::isnan(at(exp(broadcast(std::numeric_limits<real>::quiet_NaN())))));
  CHECK(at(log(broadcast(0))) == -infinity);
  CHECK(at(log(broadcast(infinity))) == infinity);
  CHECK(at(log(broadcast(1))) == 0);
  CHECK(std::isnan(at(log(broadcast(-1)))));
  CHECK(at(log1p(broadcast(0))) == 0);
  CHECK(at(log1p(broadcast(-1))) == -infinity);
  CHECK(at(log1p(broadcast(infinity))) == infinity);
  CHECK(std::isnan(at(log1p(broadcast(-2)))));
  CHECK(at(softplus(broadcast(1000))) == 1000);
  CHECK(at(softplus(broadcast(-1000))) == 0);
  CHECK(std::isnan(at(softplus(broadcast(std::numeric_limits<real>::quiet_NaN())))));
}
