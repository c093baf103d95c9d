#include "optim/sgd.h"

namespace calque {
namespace {

void check(const SgdSettings& s) {
  if (!(s.momentum >= 0 && s.momentum < 1)) {
    fail("SGD: momentum is {}; it must be in [0, 1)", s.momentum);
  }
}

}  // namespace

Sgd::Sgd(const Parameters& parameters, const SgdSettings& settings)
    : settings_((check(settings), settings)),
      pieces_(flat_pieces(parameters, settings.decay)),
      velocity_(settings.momentum > 0 ? zeros(parameters.flat_size()) : Buffer<real>()) {}

void Sgd::apply(const FlatUpdate& update) {
  const Vec factor = lanes_of(update.gradient_factor), rate = lanes_of(update.learning_rate);
  const Vec momentum = lanes_of(settings_.momentum);
  const bool decoupled = settings_.decay.coupling == Coupling::decoupled;
  const bool nesterov = settings_.kind == Momentum::nesterov;
  for_pieces(pieces_, [&](const FlatPiece& piece) {
    const Vec shrink = lanes_of(decoupled ? 1 - update.learning_rate * piece.decay : 1);
    const Vec pull = lanes_of(decoupled ? 0 : piece.decay);
    real* const w = update.values.data() + piece.begin;
    const real* const g = update.gradients[piece.parameter] + piece.offset;
    real* const v = velocity_ ? velocity_.data() + piece.begin : nullptr;
    for (int64_t i = 0; i < piece.size; i += lanes) {
      const Vec weight = load(w + i);
      const Vec gradient = load(g + i) * factor + weight * pull;
      Vec direction = gradient;
      if (v) {
        const Vec velocity = load(v + i) * momentum + gradient;
        store(v + i, velocity);
        direction = nesterov ? gradient + momentum * velocity : velocity;
      }
      store(w + i, weight * shrink - rate * direction);
    }
  });
}

std::vector<StateWindow> Sgd::state() {
  if (!velocity_) return {};
  return {{"momentum", span_of(velocity_)}};
}

}  // namespace calque
