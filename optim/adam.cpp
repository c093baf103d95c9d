#include "optim/adam.h"

#include <cmath>
#include <limits>

#include "optim/flat_lanes.h"

namespace calque {
namespace {

AdamSettings checked(const AdamSettings& s) {
  if (!(s.beta1 >= 0 && s.beta1 < 1)) fail("Adam: beta1 is {}; it must be in [0, 1)", s.beta1);
  if (!(s.beta2 >= 0 && s.beta2 < 1)) fail("Adam: beta2 is {}; it must be in [0, 1)", s.beta2);
  // While the gradients of a weight are zero its step is 0 / epsilon, so epsilon must not be 0.
  if (!(static_cast<real>(s.epsilon) >= std::numeric_limits<real>::min())) {
    fail("Adam: epsilon is {}; it must be positive, such as 1e-9", s.epsilon);
  }
  return s;
}

}  // namespace

Adam::Adam(const Parameters& parameters, const AdamSettings& settings, FlatRanges ranges)
    : settings_(checked(settings)),
      ranges_(std::move(ranges)),
      slices_(flat_slices(parameters, settings.decay, ranges_)),
      m_(zeros(size_of(ranges_))),
      v_(zeros(m_.size())) {}

void Adam::apply(const FlatUpdate& update) {
  const auto t = static_cast<double>(update.step);
  const double correction1 = 1 - std::pow(settings_.beta1, t);
  const double correction2 = 1 - std::pow(settings_.beta2, t);
  const Vec beta1 = lanes_of(settings_.beta1), rest1 = lanes_of(1 - settings_.beta1);
  const Vec beta2 = lanes_of(settings_.beta2), rest2 = lanes_of(1 - settings_.beta2);
  const Vec rate = lanes_of(update.learning_rate / correction1);
  const Vec root_correction = lanes_of(1 / std::sqrt(correction2));
  const Vec epsilon = lanes_of(settings_.epsilon), factor = lanes_of(update.gradient_factor);
  for_slices(slices_, [&](const FlatSlice& slice) {
    const DecayFactors decay(settings_.decay, slice.decay, update.learning_rate);
    real* const w = update.values.data() + slice.begin;
    real *const m = m_.data() + slice.state, *const v = v_.data() + slice.state;
    const real* const g = update.gradients[slice.parameter] + slice.offset;
    for (int64_t i = 0; i < slice.size; i += lanes) {
      const Vec weight = load(w + i);
      const Vec gradient = load(g + i) * factor + weight * decay.pull;
      const Vec mean = load(m + i) * beta1 + gradient * rest1;
      const Vec square = load(v + i) * beta2 + gradient * gradient * rest2;
      store(m + i, mean);
      store(v + i, square);
      const Vec root = sqrt(square) * root_correction + epsilon;
      store(w + i, weight * decay.shrink - rate * mean / root);
    }
  });
}

std::vector<StateWindow> Adam::state() {
  return {{"adam.m", span_of(m_), ranges_}, {"adam.v", span_of(v_), ranges_}};
}

}  // namespace calque
