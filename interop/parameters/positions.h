#pragma once
// Recognizes the kind of positions in a table of another engine.

#include "core/tensor.h"
#include "nn/options.h"

namespace calque {

// The sinusoidal kind that the table matches, `none` if it is all zeros, or else `learned`.
PositionKind kind_of_table(const Tensor& table);

}  // namespace calque
