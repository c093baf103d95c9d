#pragma once
// An exponential moving average of the weights, which often translates better than the weights of
// the last step. After update t:
//
//   average = average + rate_t (weights - average)
//
// With a constant rate 1 - decay the average begins as the weights at construction and would
// remember those for 1 / (1 - decay) steps; the other two forms forget them at once.

#include "optim/flat.h"

namespace calque {

enum class AverageStart {
  constant,        // rate = 1 - decay
  warm_up,         // rate = 1 - min(decay, (1 + t) / (10 + t)), as TensorFlow's
  bias_corrected,  // rate = (1 - decay) / (1 - decay^t): weight decay^(t - i) for step i, summing
                   // to 1
};

struct WeightAverageSettings {
  double decay = 0.999;
  AverageStart start = AverageStart::warm_up;
};
double average_rate(const WeightAverageSettings& settings, int64_t step);

class WeightAverage {
 public:
  // The parameters must have their first values already.
  WeightAverage(const Parameters& parameters, const WeightAverageSettings& settings);

  // To be called after update number `step` (from 1): one pass.
  void follow(const Parameters& parameters, int64_t step);

  // Exchanges the average with the weights: once to evaluate, once more to train on.
  void swap(Parameters& parameters);

  std::vector<StateWindow> state();  // ema

 private:
  WeightAverageSettings settings_;
  Buffer<real> average_;
};

// While it lives, the model computes with the averaged weights.
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
