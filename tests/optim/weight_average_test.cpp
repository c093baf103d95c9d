#include "optim/weight_average.h"

#include <doctest/doctest.h>

#include <cmath>

#include "small_model.h"

using namespace calque;
using doctest::Approx;

namespace {

// The average of a weight that is 100 at first and then 1, 2, 3.
double average_of_three(const WeightAverageSettings& settings) {
  SmallModel model({{"w", {1}}});
  model.set_values({{"w", {100}}});
  WeightAverage average(model.parameters, settings);
  for (int step = 1; step <= 3; ++step) {
    model.set_values({{"w", {double(step)}}});
    average.follow(model.parameters, step);
  }
  return double(average.state()[0].values[0]);
}

}  // namespace

TEST_CASE("with a constant rate the average still contains the initial weights") {
  CHECK(average_of_three({.decay = 0.5, .start = AverageStart::constant}) ==
        Approx(100 * 0.125 + 1 * 0.125 + 2 * 0.25 + 3 * 0.5));
}

TEST_CASE("the average of constant weights is these weights, also after many steps") {
  SmallModel model({{"w", {3}}});
  model.set_values({{"w", {1, -0.3, 1e-20}}});
  WeightAverage average(model.parameters, {.decay = 0.99999, .start = AverageStart::constant});
  for (int64_t step = 1; step <= 100'000; ++step) average.follow(model.parameters, step);
  const std::vector<real> weights = model.flat();
  average.swap(model.parameters);
  CHECK(model.flat() == weights);
}

// Weights 0.25, 0.5, 1 for the three steps, divided by their sum.
TEST_CASE("corrected for its bias, the average is a weighted mean of only the steps") {
  CHECK(average_of_three({.decay = 0.5, .start = AverageStart::bias_corrected}) ==
        Approx((0.25 * 1 + 0.5 * 2 + 1 * 3) / 1.75));
}

TEST_CASE("with warm_up, the decay rises from 2/11 to its value") {
  const WeightAverageSettings settings{.decay = 0.99, .start = AverageStart::warm_up};
  CHECK(average_rate(settings, 1) == Approx(9.0 / 11));
  CHECK(average_rate(settings, 80) == Approx(0.1));
  CHECK(average_rate(settings, 100000) == Approx(0.01));
}

TEST_CASE("WithAverage gives the model the averaged weights, and at its end the trained ones") {
  SmallModel model = model_of_many_slices();
  model.set_random_values();
  WeightAverage average(model.parameters, {});
  const std::vector<real> old = model.flat();
  for (real& value : model.parameters.values()) value *= 2;
  const std::vector<real> trained = model.flat();
  {
    const WithAverage evaluation(average, model.parameters);
    CHECK(model.flat() == old);
  }
  CHECK(model.flat() == trained);
  CHECK(std::ranges::equal(average.state()[0].values, old));
}

TEST_CASE("a decay below 0, of 1 or NaN, step 0 and parameters of another size are refused") {
  SmallModel model({{"w", {1}}}), other({{"w", {100}}});
  CHECK_THROWS_AS(WeightAverage(model.parameters, {.decay = 1}), Error);
  CHECK_THROWS_AS(WeightAverage(model.parameters, {.decay = -0.1}), Error);
  CHECK_THROWS_AS(WeightAverage(model.parameters, {.decay = std::nan("")}), Error);
  WeightAverage average(model.parameters, {});
  CHECK_THROWS_AS(average.follow(other.parameters, 1), Misuse);
  CHECK_THROWS_AS(average.follow(model.parameters, 0), Misuse);
  CHECK_THROWS_AS(average.swap(other.parameters), Misuse);
}
