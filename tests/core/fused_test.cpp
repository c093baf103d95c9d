// Each fused op against a plain composition of small ops: the same value and the same gradients.
#include <doctest/doctest.h>

#include "compositions.h"

using namespace calque;

namespace {

Tensor plain_norm(const Tensor& x, const Tensor& gain, const Tensor& bias) {
  const Tensor centred = x - mean_in_rows(x);
  return centred / sqrt(mean_in_rows(square(centred)) + real(1e-5)) * gain + bias;
}

}  // namespace

TEST_CASE("linear with bias and activation is a product, a sum and a function") {
  const std::vector<Shape> shapes = {{37, 20}, {20, 33}, {33}};
  const auto check = [&](Activation activation, Tensor (*function)(const Tensor&)) {
    CHECK(difference([=](Inputs t) { return linear(t[0], t[1], t[2], activation); },
                     [=](Inputs t) { return function(matmul(t[0], t[1]) + t[2]); },
                     shapes) < rounding_error);
  };
  check(Activation::relu, relu);
  check(Activation::gelu, gelu);
  check(Activation::gelu_tanh, gelu_tanh);
  check(Activation::silu, silu);
}

TEST_CASE("linear with a gated activation is a product, a sum, and the activation of one half") {
  const auto check = [&](Activation gated, Tensor (*gate)(const Tensor&)) {
    const auto composed = [=](Inputs t) {
      const Tensor z = matmul(t[0], t[1]) + t[2];
      return gate(slice_cols(z, 0, 17)) * slice_cols(z, 17, 34);
    };
    CHECK(difference([=](Inputs t) { return linear(t[0], t[1], t[2], gated); }, composed,
                     {{37, 20}, {20, 34}, {34}}) < rounding_error);
  };
  check(Activation::swiglu, silu);
  check(Activation::geglu, gelu);
  check(Activation::geglu_tanh, gelu_tanh);
}

TEST_CASE("a residual with norm is a sum and a norm") {
  for (const int64_t cols : {5, 16, 100, 1500}) {
    CHECK(difference([](Inputs t) { return residual_norm(t[0], t[1], 0, t[2], t[3]); },
                     [](Inputs t) { return plain_norm(t[0] + t[1], t[2], t[3]); },
                     {{40, cols}, {40, cols}, {cols}, {cols}}) < rounding_error);
  }
}

TEST_CASE(
    "a norm has right gradients for any gain, and keeps its normalized input for a tiny gain") {
  const int64_t rows = 40, cols = 100;
  const auto used_with = [&](real first_gain) {
    std::vector<Tensor> inputs = random_tensors({{rows, cols}, {cols}, {cols}});
    for (real& gain : inputs[1].span()) gain = 1 + gain / 10;
    inputs[1].data()[3] = first_gain;
    const Function fused = [](Inputs t) { return layer_norm(t[0], t[1], t[2]); };
    const Function plain = [](Inputs t) { return plain_norm(t[0], t[1], t[2]); };
    CHECK(relative_error(value_and_gradients(fused, inputs), value_and_gradients(plain, inputs)) <
          rounding_error);
    const Tape tape;
    const Tensor x = variable(inputs[0]);
    const int64_t before = memory_statistics().used;
    const Tensor out = layer_norm(x, inputs[1], inputs[2]);
    return memory_statistics().used - before;
  };
  constexpr auto matrix = static_cast<int64_t>(rows * cols * sizeof(real));
  CHECK(used_with(1) < matrix * 3 / 2);
  CHECK(used_with(-1) < matrix * 3 / 2);
  CHECK(used_with(0) > matrix * 2);
  CHECK(used_with(real(1e-12)) > matrix * 2);
}

TEST_CASE("a residual drops the same elements as dropout()") {
  CHECK(difference([](Inputs t) { return residual(t[0], t[1], real(0.3)); },
                   [](Inputs t) { return t[0] + dropout(t[1], real(0.3)); },
                   {{40, 130}, {40, 130}}) < rounding_error);
  CHECK(difference([](Inputs t) { return residual_norm(t[0], t[1], real(0.3), t[2], t[3]); },
                   [](Inputs t) { return layer_norm(t[0] + dropout(t[1], real(0.3)), t[2], t[3]); },
                   {{40, 130}, {40, 130}, {130}, {130}}) < rounding_error);
}

// The result is linear in the values, so <result, seed> = <values, their gradient> if both passes
// drop the same weights.
TEST_CASE("the mean of segments is a product with the matrix of shares") {
  const Segments segments = Segments::of_lengths(std::vector<int32_t>{2, 0, 1, 4});
  const Tensor shares = Tensor::zeros({4, 7});
  for (int64_t i = 0; i < 4; ++i) {
    for (int64_t t = segments.begin(i); t < segments.end(i); ++t) {
      shares.data()[i * 7 + t] = 1 / static_cast<real>(segments.length(i));
    }
  }
  CHECK(difference([&](Inputs t) { return mean_of_segments(t[0], segments); },
                   [&](Inputs t) { return matmul(shares, t[0]); }, {{7, 19}}) < rounding_error);
}
