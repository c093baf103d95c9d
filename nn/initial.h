#pragma once
// Initial values of weights, in addition to those in core/parameters.h. They keep the size of
// activations and gradients about the same from layer to layer.

#include <cmath>
#include <utility>

#include "core/parameters.h"

namespace calque {

// Glorot and Bengio (2010): uniform within sqrt(6 / (in + out)), so with variance 2 / (in + out).
// For a weight of several matrices, `in` and `out` are the sizes as which they count.
inline Initial xavier_uniform(int64_t in, int64_t out) {
  return uniform(static_cast<real>(std::sqrt(6.0 / static_cast<double>(in + out))));
}

// Normal with deviation d_model^-0.5: embeddings times sqrt(d_model) have unit variance, and so
// have the logits of a tied output for hidden vectors of unit variance.
inline Initial embedding_normal(int64_t d_model) {
  return normal(static_cast<real>(1 / std::sqrt(static_cast<double>(d_model))));
}

// The same values times a factor.
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
