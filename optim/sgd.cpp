#include "optim/sgd.h"

#include "optim/flat_lanes.h"

namespace calque {
namespace {

SgdSettings checked(const SgdSettings& s) {
  if (!(s.momentum >= 0 && s.momentum < 1)) {
    fail("SGD: momentum is {}; it must be in [0, 1)", s.momentum);
  }
  return s;
}

}  // namespace

Sgd::Sgd(const Parameters& parameters, const SgdSettings& settings, FlatRanges ranges)
    : settings_(checked(settings)),
      ranges_(std::move(ranges)),
      slices_(flat_slices(parameters, settings.decay, ranges_)),
      velocity_(settings.momentum > 0 ? zeros(size_of(ranges_)) : Buffer<real>()) {}

void Sgd::apply(const FlatUpdate& update) {
  const Vec factor = lanes_of(update.gradient_factor), rate = lanes_of(update.learning_rate);
  const Vec momentum = lanes_of(settings_.momentum);
  const bool nesterov = settings_.kind == Momentum::nesterov;
  for_slices(slices_, [&](const FlatSlice& slice) {
    const DecayFactors decay(settings_.decay, slice.decay, update.learning_rate);
    real* const w = update.values.data() + slice.begin;
    const real* const g = update.gradients[slice.parameter] + slice.offset;
    real* const v = velocity_ ? velocity_.data() + slice.state : nullptr;
    for (int64_t i = 0; i < slice.size; i += lanes) {
      const Vec weight = load(w + i);
      const Vec gradient = load(g + i) * factor + weight * decay.pull;
      Vec direction = gradient;
      if (v) {
        const Vec velocity = load(v + i) * momentum + gradient;
        store(v + i, velocity);
        direction = nesterov ? gradient + momentum * velocity : velocity;
      }
      store(w + i, weight * decay.shrink - rate * direction);
    }
  });
}

std::vector<StateWindow> Sgd::state() {
  if (!velocity_) return {};
  return {{"momentum", span_of(velocity_), ranges_}};
}

}  // namespace calque
