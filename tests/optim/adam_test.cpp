#include "optim/adam.h"

#include <doctest/doctest.h>

#include <cmath>

#include "optim/optimizer.h"
#include "small_model.h"
#include "support/message_of.h"

using namespace calque;
using doctest::Approx;

namespace {

constexpr AdamSettings plain{.beta1 = 0.9, .beta2 = 0.98, .epsilon = 1e-9, .decay = {}};

}  // namespace

TEST_CASE("Adam's first step has the length of the learning rate for any large enough gradient") {
  SmallModel model({{"w", {4}}});
  model.set_values({{"w", {1, 1, 1, 1}}});
  model.set_gradients({{"w", {1000, -1, 1e-4, 0}}});
  Optimizer(model.parameters, plain).update(model.parameters, 0.25);
  CHECK(model.value("w", 0) == Approx(0.75).epsilon(1e-6));
  CHECK(model.value("w", 1) == Approx(1.25).epsilon(1e-6));
  CHECK(model.value("w", 2) == Approx(0.75).epsilon(2e-5));
  CHECK(model.value("w", 3) == 1);
}

// m = 0.1 g and v = 0.02 g^2 are corrected to g and g^2, and epsilon is added to |g|. If it were
// added before the correction, the step would be g / (|g| + epsilon / sqrt(0.02)): 1/8, not 1/2.
TEST_CASE("at step 1 a weight whose gradient is epsilon moves by half the learning rate") {
  SmallModel model({{"w", {1}}});
  model.set_gradients({{"w", {0.001}}});
  AdamSettings settings = plain;
  settings.epsilon = 0.001;
  Optimizer(model.parameters, settings).update(model.parameters, 1);
  CHECK(model.value("w") == Approx(-0.5).epsilon(1e-6));
}

// g = 1, -1:  m = 0.1, -0.01;  v = 0.02, 0.0396;  m^ = -0.01 / 0.19;  v^ = 0.0396 / 0.0396 = 1
TEST_CASE("Adam's second step agrees with a calculation by hand") {
  SmallModel model({{"w", {1}}});
  Optimizer optimizer(model.parameters, plain);
  model.set_gradients({{"w", {1}}});
  optimizer.update(model.parameters, 1);
  model.set_gradients({{"w", {-1}}});
  optimizer.update(model.parameters, 1);
  CHECK(model.value("w") == Approx(-1 + 0.01 / 0.19).epsilon(1e-6));
  CHECK(double(optimizer.state()[0].values[0]) == Approx(-0.01).epsilon(1e-6));
  CHECK(double(optimizer.state()[1].values[0]) == Approx(0.0396).epsilon(1e-6));
}

TEST_CASE("decoupled decay shrinks weights without a gradient, according to their role") {
  // All parameters have the same name, because only their roles matter.
  struct Expected {
    Role role;
    bool as_matrix, unless_embedding;
  };
  const Expected expected[] = {{Role::weight, true, true},       {Role::output, true, true},
                               {Role::embedding, true, false},   {Role::position, true, false},
                               {Role::bias, false, false},       {Role::gain, false, false},
                               {Role::output_bias, false, false}};
  const auto shrunk = [&](Decayed what, Role role) {
    SmallModel model({{"embedding.weight", {2, 3}, role}});
    model.set_values({{"embedding.weight", {2, 2, 2}}});
    AdamSettings settings = plain;
    settings.decay = {.rate = 0.1, .what = what};
    Optimizer(model.parameters, settings).update(model.parameters, 0.5);
    const double value = model.value("embedding.weight");
    CHECK((value == 2 || value == Approx(2 * (1 - 0.05)).epsilon(1e-6)));
    return value < 2;
  };
  for (const auto& [role, as_matrix, unless_embedding] : expected) {
    CAPTURE(static_cast<int>(role));
    CHECK(shrunk(Decayed::everything, role));
    CHECK(shrunk(Decayed::matrices, role) == as_matrix);
    CHECK(shrunk(Decayed::matrices_but_embeddings, role) == unless_embedding);
  }
}

TEST_CASE("Adam refuses invalid settings, and the message names the setting and its value") {
  const SmallModel model({{"w", {1}}});
  const auto refusal = [&](auto change) {
    AdamSettings settings = plain;
    change(settings);
    return message_of<Error>([&] { Optimizer(model.parameters, settings); });
  };
  CHECK(refusal([](AdamSettings& s) { s.beta1 = 1; }).starts_with("Adam: beta1 is 1;"));
  CHECK(refusal([](AdamSettings& s) { s.beta2 = -0.1; }).starts_with("Adam: beta2 is -0.1;"));
  CHECK(
      refusal([](AdamSettings& s) { s.beta2 = std::nan(""); }).starts_with("Adam: beta2 is nan;"));
  CHECK(refusal([](AdamSettings& s) { s.epsilon = 0; }).starts_with("Adam: epsilon is 0;"));
  CHECK(refusal([](AdamSettings& s) { s.decay.rate = -1; }).starts_with("weight decay is -1;"));
}
