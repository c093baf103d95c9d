#pragma once
// Gradients against finite differences. A function of several tensors is projected on random
// numbers, so that it becomes a single number; backward() and a five-point stencil must then agree
// for every element of every input. Exact enough only in the double build.

#include <functional>
#include <vector>

#include "core/ops.h"

namespace calque {

using Function = std::function<Tensor(const std::vector<Tensor>&)>;

// Random numbers from N(0, 1), the same for the same seed.
Tensor random_tensor(const Shape& shape, uint64_t seed);
std::vector<Tensor> random_tensors(const std::vector<Shape>& shapes, uint64_t seed = 1);

// The value of the function and the gradient of its projection by every input. Dropout is the same
// in every call.
struct Outcome {
  Tensor value;
  std::vector<Tensor> gradients;
};
Outcome value_and_gradients(const Function& function, const std::vector<Tensor>& inputs);

// The largest relative error, over the inputs, of backward() against finite differences:
// |a - n| / |n| with the norm of the whole gradient, or |a - n| where that is below 1e-3.
double gradient_error(const Function& function, const std::vector<Tensor>& inputs);

// |a - b| / |b| in the norm of the whole tensor, or |a - b| where |b| is below 1e-3.
double relative_error(std::span<const real> a, std::span<const real> b);

// The largest relative error between two outcomes, values and gradients.
double relative_error(const Outcome& a, const Outcome& b);

}  // namespace calque
