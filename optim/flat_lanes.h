#pragma once
// Settings of the update rules as vectors, for their loops over slices (optim/flat.h).

#include "core/simd/vector.h"
#include "optim/flat.h"

namespace calque {

// A setting as a vector of equal lanes.
inline Vec lanes_of(double value) { return broadcast(static_cast<real>(value)); }

// Weight decay of one slice: w becomes shrink w, and pull w is added to the gradient.
struct DecayFactors {
  DecayFactors(const WeightDecay& decay, double rate, double learning_rate)
      : shrink(lanes_of(decay.coupling == Coupling::decoupled ? 1 - learning_rate * rate : 1)),
        pull(lanes_of(decay.coupling == Coupling::decoupled ? 0 : rate)) {}
  Vec shrink, pull;
};

}  // namespace calque
