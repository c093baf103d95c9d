#pragma once
// The one number type of all tensors. The double build exists for the gradient checks.

namespace calque {

#ifdef CALQUE_DOUBLE
using real = double;
#else
using real = float;
#endif

}  // namespace calque
