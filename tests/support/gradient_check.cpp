#include "support/gradient_check.h"

#include <cmath>

#include "support/worse.h"

namespace calque {
namespace {

constexpr Tape::Randomness randomness{.seed = 42, .step = 7, .part = 0};

Tensor weights_for(const Tensor& y) { return random_tensor(y.shape(), 999); }

double projected(const Function& function, const std::vector<Tensor>& inputs) {
  const Tape tape(randomness);
  const Tensor y = function(inputs);
  const Tensor weights = weights_for(y);
  double total = 0;
  for (size_t i = 0; i < y.span().size(); ++i)
    total += double(y.span()[i]) * double(weights.span()[i]);
  return total;
}

// f'(x) = (8 (f(x + h) - f(x - h)) - (f(x + 2 h) - f(x - 2 h))) / (12 h), with error O(h^4).
double difference(const Function& function, const std::vector<Tensor>& inputs, real& x) {
  const real h = real(1e-3), before = x;
  const auto at = [&](real shift) {
    x = before + shift;
    return projected(function, inputs);
  };
  const double slope = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * double(h));
  x = before;
  return slope;
}

}  // namespace

Tensor random_tensor(const Shape& shape, uint64_t seed) {
  Tensor x(shape);
  fill_normal({.seed = seed}, 0, 1, x.span());
  return x;
}

std::vector<Tensor> random_tensors(const std::vector<Shape>& shapes, uint64_t seed) {
  std::vector<Tensor> tensors;
  for (const Shape& shape : shapes) tensors.push_back(random_tensor(shape, seed++));
  return tensors;
}

Outcome value_and_gradients(const Function& function, const std::vector<Tensor>& inputs) {
  std::vector<Tensor> leaves;
  for (const Tensor& input : inputs) leaves.push_back(variable(input));
  Outcome outcome;
  {
    const Tape tape(randomness);
    const Tensor y = function(leaves);
    outcome.value = Tensor::of(y.shape(), y.span());
    if (y.gradient()) backward(y, weights_for(y));
  }
  for (const Tensor& leaf : leaves) {
    outcome.gradients.push_back(Tensor::of(leaf.shape(), leaf.gradient().span()));
  }
  return outcome;
}

double gradient_error(const Function& function, const std::vector<Tensor>& inputs) {
  const Outcome outcome = value_and_gradients(function, inputs);
  double worst = 0;
  for (size_t i = 0; i < inputs.size(); ++i) {
    Tensor numeric(inputs[i].shape());
    for (size_t e = 0; e < numeric.span().size(); ++e) {
      numeric.span()[e] = static_cast<real>(difference(function, inputs, inputs[i].span()[e]));
    }
    worst = worse(worst, relative_error(outcome.gradients[i].span(), numeric.span()));
  }
  return worst;
}

double relative_error(std::span<const real> a, std::span<const real> b) {
  require(a.size() == b.size(), "relative_error: {} and {} numbers", a.size(), b.size());
  double distance = 0, norm = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    distance += std::pow(double(a[i]) - double(b[i]), 2);
    norm += double(b[i]) * double(b[i]);
  }
  norm = std::sqrt(norm);
  const double error = std::sqrt(distance) / (norm < 1e-3 ? 1 : norm);
  return std::isfinite(error) ? error : INFINITY;
}

double relative_error(const Outcome& a, const Outcome& b) {
  double worst = relative_error(a.value.span(), b.value.span());
  for (size_t i = 0; i < a.gradients.size(); ++i) {
    worst = worse(worst, relative_error(a.gradients[i].span(), b.gradients[i].span()));
  }
  return worst;
}

}  // namespace calque
