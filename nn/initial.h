#pragma once
// First values of weights, beside the general ones in core/parameters.h. A product of random
// numbers should neither grow nor shrink from layer to layer, neither forward nor backward.

#include "core/parameters.h"

namespace calque {

// Glorot and Bengio (2010): uniform with variance 2 / (in + out), so within sqrt(6 / (in + out)).
// For a weight that holds several matrices side by side, `in` and `out` say as which one they
// count.
Initial xavier_uniform(int64_t in, int64_t out);

// Normal with deviation d_model^-0.5: an embedding scaled by sqrt(d_model) then has unit variance,
// and so has the product of a unit-variance vector with a row of the table where it is tied to the
// output.
Initial embedding_normal(int64_t d_model);

// The same values times a factor.
Initial scaled(Initial initial, real factor);

inline Initial zeros() { return constant(0); }
inline Initial ones() { return constant(1); }

}  // namespace calque
