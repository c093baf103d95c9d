#pragma once
// An exponential moving average of the weights, which often gives better translations than the
// weights of the last step. After update t:
//
//   average = average + rate_t (weights - average)
//
// The average starts as the weights at construction. With the constant rate 1 - decay, these
// weights keep their influence for about 1 / (1 - decay) steps; bias_corrected removes it in step
// 1, warm_up in the first few steps.

#include "optim/flat.h"

namespace calque {

enum class AverageStart {
  constant,        // rate = 1 - decay
  warm_up,         // rate = 1 - min(decay, (1 + t) / (10 + t)), as in TensorFlow
  bias_corrected,  // rate = (1 - decay) / (1 - decay^t): step i counts as decay^(t - i), normalised
};

struct WeightAverageSettings {
  double decay = 0.999;
  AverageStart start = AverageStart::warm_up;
};
double average_rate(const WeightAverageSettings& settings, int64_t step);

class WeightAverage {
 public:
  // The parameters must have their initial values.
  WeightAverage(const Parameters& parameters, const WeightAverageSettings& settings);

  // Call it after each update; `step` counts from 1.
  void follow(const Parameters& parameters, int64_t step);

  // Swaps the average with the weights: before evaluation, and again before training continues.
  void swap(Parameters& parameters);

  std::vector<StateWindow> state();  // ema

 private:
  WeightAverageSettings settings_;
  Buffer<real> average_;
};

// While it is alive, the parameters have the averaged weights.
class WithAverage {
 public:
  WithAverage(WeightAverage& average, Parameters& parameters)
      : average_(average), parameters_(parameters) {
    average_.swap(parameters_);
  }
  ~WithAverage() { average_.swap(parameters_); }
  WithAverage(const WithAverage&) = delete;
  WithAverage& operator=(const WithAverage&) = delete;

 private:
  WeightAverage& average_;
  Parameters& parameters_;
};

}  // namespace calque
