#pragma once
// Initial values of weights, in addition to those in core/parameters.h. They keep the size of
// activations and gradients about the same from layer to layer.

#include <cmath>
#include <utility>

#include "core/parameters.h"

namespace calque {

// Glorot and Bengio (2010): uniform within sqrt(6 / (in + out)), so with variance 2 / (in + out).
// `in` and `out` need not be the sizes of the weight, which may consist of several matrices.
inline Initial xavier_uniform(int64_t in, int64_t out) {
  return uniform(static_cast<real>(std::sqrt(6.0 / static_cast<double>(in + out))));
}

// Normal with deviation d_model^-0.5: embeddings times sqrt(d_model) have unit variance, and so
// have the logits of a tied output for hidden vectors of unit variance.
inline Initial embedding_normal(int64_t d_model) {
  return normal(static_cast<real>(1 / std::sqrt(static_cast<double>(d_model))));
}

// The values of `initial` times a factor.
inline Initial scaled(Initial initial, real factor) {
  return [initial = std::move(initial), factor](const Stream& stream, const Shape& shape,
                                                std::span<real> values) {
    initial(stream, shape, values);
    for (real& value : values) value *= factor;
  };
}

inline Initial zeros() { return constant(0); }
inline Initial ones() { return constant(1); }

}  // namespace calque
