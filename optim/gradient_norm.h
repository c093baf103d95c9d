#pragma once
// The norm of the whole gradient as one vector, and the factor that clips it to a limit (Pascanu,
// Mikolov and Bengio, "On the difficulty of training recurrent neural networks", 2013). Squares are
// added in double and in a fixed order. The square of a float cannot overflow in double, so the
// norm is finite exactly if all gradients are.

#include <span>

#include "core/parameters.h"

namespace calque {

double gradient_norm(const Parameters& parameters);

// The sum of the squares of a part of a flat buffer.
double sum_of_squares(std::span<const real> numbers);

// min(1, limit / norm); a limit of 0 means no clipping. (PyTorch divides by norm + 1e-6.)
double clip_factor(double norm, double limit);

// The first parameter whose gradient is not finite, or nullptr; for error messages.
const Parameters::Entry* first_not_finite(const Parameters& parameters);

// The same for a gradient in a flat buffer, in two steps: the index of the first number that is not
// finite, or the number of numbers; and the parameter at an index, or nullptr beyond them.
int64_t first_not_finite(std::span<const real> gradient);
const Parameters::Entry* parameter_at(const Parameters& parameters, int64_t index);

}  // namespace calque
