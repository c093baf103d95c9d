#include "optim/weight_average.h"

#include <algorithm>
#include <cmath>

#include "optim/flat_lanes.h"

namespace calque {
namespace {

constexpr int64_t chunk = 1 << 15;

WeightAverageSettings checked(const WeightAverageSettings& settings) {
  if (!(settings.decay >= 0 && settings.decay < 1)) {
    fail("weight average: decay is {}; it must be in [0, 1), such as 0.999", settings.decay);
  }
  return settings;
}

void require_size(const Parameters& parameters, const Buffer<real>& average) {
  require(parameters.flat_size() == average.size(),
          "WeightAverage: made for {} numbers, but the parameters have {}", average.size(),
          parameters.flat_size());
}

}  // namespace

double average_rate(const WeightAverageSettings& settings, int64_t step) {
  require(step >= 1, "average_rate: steps count from 1, not from {}", step);
  const auto t = static_cast<double>(step);
  switch (settings.start) {
    case AverageStart::warm_up:
      return 1 - std::min(settings.decay, (1 + t) / (10 + t));
    case AverageStart::bias_corrected:
      return (1 - settings.decay) / (1 - std::pow(settings.decay, t));
    case AverageStart::constant:
      break;
  }
  return 1 - settings.decay;
}

WeightAverage::WeightAverage(const Parameters& parameters, const WeightAverageSettings& settings)
    : settings_(checked(settings)), average_(zeros(parameters.flat_size())) {
  const std::span<const real> values = parameters.values();
  std::copy(values.begin(), values.end(), average_.data());
}

void WeightAverage::follow(const Parameters& parameters, int64_t step) {
  require_size(parameters, average_);
  const Vec rate = lanes_of(average_rate(settings_, step));
  const real* values = parameters.values().data();
  real* average = average_.data();
  const auto moved = [rate](Vec a, Vec w) { return a + rate * (w - a); };
  parallel_for(average_.size(), chunk, [&](int64_t begin, int64_t end) {
    map(end - begin, average + begin, moved, average + begin, values + begin);
  });
}

void WeightAverage::swap(Parameters& parameters) {
  require_size(parameters, average_);
  real* values = parameters.values().data();
  parallel_for(average_.size(), chunk, [&](int64_t begin, int64_t end) {
    std::swap_ranges(values + begin, values + end, average_.data() + begin);
  });
}

std::vector<StateWindow> WeightAverage::state() { return {{"ema", span_of(average_)}}; }

}  // namespace calque
