#include "optim/sgd.h"

#include <doctest/doctest.h>

#include "optim/optimizer.h"
#include "small_model.h"

using namespace calque;
using doctest::Approx;

namespace {

// The weight after three steps of size 1 along the gradients 1, 1, 0.
double after_three(const SgdSettings& settings) {
  SmallModel model({{"w", {1}}});
  Optimizer optimizer(model.parameters, settings);
  for (const double gradient : {1, 1, 0}) {
    model.set_gradients({{"w", {gradient}}});
    optimizer.update(model.parameters, 1);
  }
  return model.value("w");
}

}  // namespace

TEST_CASE("without momentum, SGD follows the gradient and has no state") {
  CHECK(after_three({}) == Approx(-2));
  const SmallModel model({{"w", {1}}});
  CHECK(Optimizer(model.parameters, SgdSettings{}).state().empty());
}

// Velocities 1, 1.5, 0.75.
TEST_CASE("momentum continues without a gradient") {
  CHECK(after_three({.momentum = 0.5}) == Approx(-(1 + 1.5 + 0.75)));
}

// Directions 1 + 0.5, 1 + 0.75, 0 + 0.375.
TEST_CASE("Nesterov's step is the gradient plus momentum times the new velocity") {
  CHECK(after_three({.momentum = 0.5, .kind = Momentum::nesterov}) ==
        Approx(-(1.5 + 1.75 + 0.375)));
}

TEST_CASE("coupled decay changes the velocity, decoupled decay does not") {
  const auto velocity = [](Coupling coupling) {
    SmallModel model({{"w", {1, 1}}});
    model.set_values({{"w", {2}}});
    Optimizer optimizer(model.parameters,
                        SgdSettings{.momentum = 0.5, .decay = {.rate = 0.1, .coupling = coupling}});
    optimizer.update(model.parameters, 0.5);
    CHECK(model.value("w") == Approx(2 - 0.5 * 0.2));
    return double(optimizer.state()[0].values[0]);
  };
  CHECK(velocity(Coupling::coupled) == Approx(0.2));
  CHECK(velocity(Coupling::decoupled) == 0);
}

TEST_CASE("SGD refuses a momentum of 1") {
  const SmallModel model({{"w", {1}}});
  CHECK_THROWS_AS(Optimizer(model.parameters, SgdSettings{.momentum = 1}), Error);
}
