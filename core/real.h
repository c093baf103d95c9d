#pragma once
// The one number type of all tensors. The double build exists for the gradient checks.

#include <limits>

namespace calque {

#ifdef CALQUE_DOUBLE
using real = double;
#else
using real = float;
#endif

constexpr real minus_infinity = -std::numeric_limits<real>::infinity();

}  // namespace calque
