#pragma once
// The parameters of a translator under the names of Marian.

#include "interop/parameters/walk.h"
#include "nn/models/transformer.h"

namespace calque {

// Visits all parameters, including the output bias if the model has one.
void walk_marian(ParameterWalk& walk, const Transformer& model);

}  // namespace calque
