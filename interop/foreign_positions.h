#pragma once
// Which kind of positions a table of another engine holds.

#include "core/tensor.h"
#include "nn/options.h"

namespace calque {

// A sinusoidal kind, none for zeros, or learned for anything else.
PositionKind kind_of_table(const Tensor& table);

}  // namespace calque
