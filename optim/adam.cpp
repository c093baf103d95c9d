#include "optim/adam.h"

#include <cmath>
#include <limits>

namespace calque {
namespace {

// The settings of one step, ready for the loop.
struct Step {
  Vec beta1, beta2, gradient1, gradient2;  // m = beta1 m + gradient1 g; v likewise, with g^2
  Vec rate, root_correction, epsilon;      // w -= rate m / (sqrt(v) root_correction + epsilon)
};

// The one pass: every number is read once and written once.
void update_piece(const Step& step, real* w, const real* g, real* m, real* v, int64_t count,
                  Vec factor, Vec shrink, Vec pull) {
  for (int64_t i = 0; i < count; i += lanes) {
    const Vec weight = load(w + i);
    const Vec gradient = load(g + i) * factor + weight * pull;
    const Vec mean = load(m + i) * step.beta1 + gradient * step.gradient1;
    const Vec square = load(v + i) * step.beta2 + gradient * gradient * step.gradient2;
    store(m + i, mean);
    store(v + i, square);
    const Vec spread = sqrt(square) * step.root_correction + step.epsilon;
    store(w + i, weight * shrink - step.rate * mean / spread);
  }
}

void check(const AdamSettings& s) {
  if (!(s.beta1 >= 0 && s.beta1 < 1)) fail("Adam: beta1 is {}; it must be in [0, 1)", s.beta1);
  if (!(s.beta2 >= 0 && s.beta2 < 1)) fail("Adam: beta2 is {}; it must be in [0, 1)", s.beta2);
  // Where a gradient has always been zero, the step is 0 / epsilon.
  if (!(static_cast<real>(s.epsilon) >= std::numeric_limits<real>::min())) {
    fail("Adam: epsilon is {}; it must be positive, such as 1e-9", s.epsilon);
  }
}

}  // namespace

Adam::Adam(const Parameters& parameters, const AdamSettings& settings)
    : settings_((check(settings), settings)),
      pieces_(flat_pieces(parameters, settings.decay)),
      m_(zeros(parameters.flat_size())),
      v_(zeros(parameters.flat_size())) {}

void Adam::apply(const FlatUpdate& update) {
  const auto t = static_cast<double>(update.step);
  const double correction1 = 1 - std::pow(settings_.beta1, t);
  const double correction2 = 1 - std::pow(settings_.beta2, t);
  const Step step{.beta1 = lanes_of(settings_.beta1),
                  .beta2 = lanes_of(settings_.beta2),
                  .gradient1 = lanes_of(1 - settings_.beta1),
                  .gradient2 = lanes_of(1 - settings_.beta2),
                  .rate = lanes_of(update.learning_rate / correction1),
                  .root_correction = lanes_of(1 / std::sqrt(correction2)),
                  .epsilon = lanes_of(settings_.epsilon)};
  const Vec factor = lanes_of(update.gradient_factor);
  const bool decoupled = settings_.decay.coupling == Coupling::decoupled;
  for_pieces(pieces_, [&](const FlatPiece& piece) {
    const Vec shrink = lanes_of(decoupled ? 1 - update.learning_rate * piece.decay : 1);
    const Vec pull = lanes_of(decoupled ? 0 : piece.decay);
    update_piece(step, update.values.data() + piece.begin,
                 update.gradients[piece.parameter] + piece.offset, m_.data() + piece.begin,
                 v_.data() + piece.begin, piece.size, factor, shrink, pull);
  });
}

std::vector<StateWindow> Adam::state() {
  return {{"adam.m", span_of(m_)}, {"adam.v", span_of(v_)}};
}

}  // namespace calque
