#pragma once
// Rounds the weights of a model to 8-bit integers, for inference.

#include "core/parameters.h"

namespace calque {

// After this call, products with a weight, an output projection or a tied embedding table use its
// Int8Matrix (core/products/int8/matrix.h), and the numbers of these parameters are the rounded
// ones. A second call changes nothing. The parameters must not be trained any more.
void round_weights_to_int8(const Parameters& parameters);

}  // namespace calque
