#pragma once
// Fused ops beside compositions of small ops.

#include <vector>

#include "support/gradient_check.h"

namespace calque {

// The largest relative error of two ways to compute the same.
#ifdef CALQUE_DOUBLE
inline constexpr double rounding_error = 1e-10;
#else
inline constexpr double rounding_error = 1e-5;
#endif

using Inputs = const std::vector<Tensor>&;

// The relative error of the value and the gradients of `fused`, for random inputs.
inline double difference(const Function& fused, const Function& plain,
                         const std::vector<Shape>& shapes) {
  const std::vector<Tensor> inputs = random_tensors(shapes);
  return relative_error(value_and_gradients(fused, inputs), value_and_gradients(plain, inputs));
}

}  // namespace calque
