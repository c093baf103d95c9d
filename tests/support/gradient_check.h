#pragma once
// Compares gradients with finite differences. The function's result is multiplied by fixed random
// numbers and summed; backward() and a five-point stencil must agree on the gradient of that sum
// for every element of every input. Only the double build is exact enough.

#include <functional>
#include <vector>

#include "core/ops.h"

namespace calque {

using Function = std::function<Tensor(const std::vector<Tensor>&)>;

// Numbers from N(0, 1), the same for the same seed.
Tensor random_tensor(const Shape& shape, uint64_t seed);
std::vector<Tensor> random_tensors(const std::vector<Shape>& shapes, uint64_t seed = 1);

// The value of the function and the gradient of the sum with respect to every input. Dropout is the
// same in every call.
struct Outcome {
  Tensor value;
  std::vector<Tensor> gradients;
};
Outcome value_and_gradients(const Function& function, const std::vector<Tensor>& inputs);

// The largest relative_error() of backward() against finite differences, over the inputs.
double gradient_error(const Function& function, const std::vector<Tensor>& inputs);

// |a - b| / |b| in the Euclidean norm, or |a - b| where |b| is below 1e-3; infinity if that is not
// finite.
double relative_error(std::span<const real> a, std::span<const real> b);

// The largest relative error between two outcomes, values and gradients.
double relative_error(const Outcome& a, const Outcome& b);

}  // namespace calque
