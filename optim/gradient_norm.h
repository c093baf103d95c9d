#pragma once
// The length of the whole gradient as one vector, sqrt(sum of squares), and what to multiply the
// gradient by so that its length is at most a limit (Pascanu, Mikolov and Bengio, "On the
// difficulty of training recurrent neural networks", 2013). The squares are added in double, piece
// by piece in a fixed order: no float gradient, however large, overflows it, so the norm is finite
// exactly when every gradient is.

#include "core/parameters.h"

namespace calque {

double gradient_norm(const Parameters& parameters);

// min(1, limit / norm); a limit of 0 means no clipping. PyTorch divides by norm + 1e-6 instead, so
// its gradients end a hair below the limit.
double clip_factor(double norm, double limit);

// The first parameter in whose gradient something is not a finite number, or null: for the message.
const Parameters::Entry* first_not_finite(const Parameters& parameters);

}  // namespace calque
