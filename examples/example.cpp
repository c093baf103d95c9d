// The command line of the examples, and their measurements.
#include "example.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>

#include "core/error.h"
#include "core/random.h"

namespace calque {

int run_example(int arguments, char** argument, void (*example)(const char* path)) {
  if (arguments != 2) {
    std::fprintf(stderr, "usage: %s PAGE.svg\n", argument[0]);
    return 2;
  }
  try {
    example(argument[1]);
    return 0;
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "%s: %s\n", argument[0], problem.what());
    return 1;
  }
}

Tensor random_normal(const Shape& shape, uint64_t seed, real deviation) {
  Tensor x(shape);
  fill_normal({.seed = seed}, 0, deviation, x.span());
  return x;
}

double largest_difference(const Tensor& a, const Tensor& b) {
  require(a.shape() == b.shape(), "largest_difference: {} and {}", a.shape(), b.shape());
  double most = 0;
  for (int64_t i = 0; i < a.size(); ++i) {
    const double difference = std::abs(double(a.data()[i]) - double(b.data()[i]));
    if (std::isnan(difference)) return difference;
    most = std::max(most, difference);
  }
  return most;
}

double mean_entropy(const Tensor& probabilities) {
  double sum = 0;
  for (const real p : probabilities.span()) sum -= p > 0 ? double(p) * std::log(double(p)) : 0;
  return sum / double(probabilities.rows());
}

}  // namespace calque
