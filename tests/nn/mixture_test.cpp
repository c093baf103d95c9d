// Routing and the mixture of experts: cases worked out by hand, PyTorch's values, and the plain sum
// over the experts.
#include "nn/layers/mixture.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "core/parameters.h"
#include "nn/layers/expert_load.h"
#include "nn/recorded.h"
#include "nn/small_model.h"
#include "support/gradient_check.h"

using namespace calque;

namespace {

const real rounding = sizeof(real) == 4 ? real(1e-5) : real(1e-6);  // recorded as float

LayerOptions small_options(const ExpertOptions& experts) {
  LayerOptions options;
  options.d_model = 6;
  options.d_ff = 5;
  options.heads = 1;
  options.experts = experts;
  return options;
}

struct SmallMixture {
  Parameters parameters;
  Mixture mixture;

  explicit SmallMixture(const ExpertOptions& experts)
      : mixture(Path(parameters) / "m", small_options(experts)) {
    initialise_with_noise(parameters, 1);
  }
};

}  // namespace

TEST_CASE("each token goes to the experts with the highest scores, and ties go to the first") {
  const Tensor logits = Tensor::of({3, 3}, {1, 3, 2, 5, 5, 4, 0, 0, 9});
  const Routing routing = route(logits, 2, 3);
  CHECK(routing.experts == std::vector<int32_t>{1, 2, 0, 1, 2, 0});
  CHECK(routing.tokens == std::vector<std::vector<int32_t>>{{1, 2}, {0, 1}, {0, 2}});
  CHECK(routing.rows == std::vector<int32_t>{2, 4, 0, 3, 5, 1});
  CHECK(routing.counts == std::vector<int64_t>{2, 2, 2});
}

TEST_CASE("an expert drops the last tokens beyond its capacity") {
  const Tensor logits = Tensor::of({3, 2}, {1, 0, 1, 0, 1, 0});
  const Routing routing = route(logits, 1, 2);
  CHECK(routing.tokens == std::vector<std::vector<int32_t>>{{0, 1}, {}});
  CHECK(routing.rows == std::vector<int32_t>{0, 1, -1});
  CHECK(routing.counts == std::vector<int64_t>{3, 0});
}

TEST_CASE("with equal loads the balance loss is its weight times the number of tokens") {
  const Tensor logits = Tensor::of({2, 2}, {real(1e-6), 0, 0, real(1e-6)});
  const ExpertOptions options{.count = 2, .active = 1, .balance = real(0.5), .z_loss = 0};
  const Tensor loss = router_loss(logits, route(logits, 1, 2), options);
  CHECK(double(loss.item()) == doctest::Approx(2 * 0.5));
}

TEST_CASE("the z-loss is its weight times the squared log-sum-exp of the logits") {
  const Tensor logits = Tensor::of({1, 2}, {2, 2});
  const ExpertOptions options{.count = 2, .active = 1, .balance = 0, .z_loss = real(0.1)};
  const double log_sum = 2 + std::log(2.0);
  CHECK(double(router_loss(logits, route(logits, 1, 1), options).item()) ==
        doctest::Approx(0.1 * log_sum * log_sum));
}

TEST_CASE("output, losses and gradients of a mixture are PyTorch's") {
  const Recorded recorded("experts.safetensors");
  SmallMixture small({.count = 4, .active = 2, .balance = real(0.3), .z_loss = real(0.05)});
  for (const Parameters::Entry& entry : small.parameters.entries()) {
    std::ranges::copy(recorded.numbers(entry.name.substr(2)), entry.values().begin());
  }
  const Tensor x = variable(Tensor::of({9, 6}, recorded.numbers("x")));
  const Tape tape;
  const Tensor y = small.mixture(x, Mode::train);
  CHECK(relative_error(y.span(), recorded.numbers("output")) < rounding);
  CHECK(tape.added_loss() == doctest::Approx(double(recorded.numbers("losses").front())));
  backward(sum(y * Tensor::of({9, 6}, recorded.numbers("seed"))));
  CHECK(relative_error(x.gradient().span(), recorded.numbers("gradient.x")) < rounding);
  for (const Parameters::Entry& entry : small.parameters.entries()) {
    CAPTURE(entry.name);
    CHECK(relative_error(entry.tensor.gradient().span(),
                         recorded.numbers("gradient." + entry.name.substr(2))) < rounding);
  }
}

TEST_CASE(
    "with all experts active, a mixture is their softmax-weighted sum plus the shared expert") {
  SmallMixture small({.count = 3, .active = 3, .shared = true});
  const Tensor x = random_tensor({7, 6}, 2);
  const Tensor weights = softmax(linear(x, small.mixture.router));
  Tensor expected = (*small.mixture.shared)(x, Mode::evaluate);
  for (int64_t e = 0; e < 3; ++e) {
    expected =
        expected + small.mixture.experts[e](x, Mode::evaluate) * slice_cols(weights, e, e + 1);
  }
  CHECK(relative_error(small.mixture(x, Mode::evaluate).span(), expected.span()) < rounding);
}

TEST_CASE("with one active expert the router has a gradient") {
  SmallMixture small({.count = 3, .active = 1, .balance = 0, .z_loss = 0});
  const Tape tape;
  backward(sum(square(small.mixture(random_tensor({7, 6}, 2), Mode::train))));
  CHECK(sum(square(Tensor::of({6, 3}, small.mixture.router.gradient().span()))).item() > 0);
}

TEST_CASE("the capacity of experts limits only training") {
  SmallMixture small({.count = 3, .active = 1, .capacity = real(0.5)});
  const Tensor x = random_tensor({12, 6}, 2);
  const auto rows_of_zero = [&](const Tensor& y) {
    int64_t rows = 0;
    const Tensor sizes = sum_in_rows(square(y));
    for (const real size : sizes.span()) rows += size == 0;
    return rows;
  };
  CHECK(rows_of_zero(small.mixture(x, Mode::evaluate)) == 0);
  // Each of 3 experts takes at most 0.5 * 12 / 3 = 2 tokens.
  CHECK(rows_of_zero(small.mixture(x, Mode::train)) >= 6);
}

TEST_CASE("an ExpertLoad counts the tokens of each expert in its scope, except in inner scopes") {
  SmallMixture small({.count = 3, .active = 2});
  const ExpertLoad load;
  small.mixture(random_tensor({7, 6}, 2), Mode::evaluate);
  {
    const ExpertLoad inner;
    small.mixture(random_tensor({5, 6}, 3), Mode::evaluate);
    REQUIRE(inner.layers().size() == 1);
  }
  REQUIRE(load.layers().size() == 1);
  const auto& [name, counts] = load.layers().front();
  CHECK(name == "m");
  CHECK(counts[0] + counts[1] + counts[2] == 14);
}
