#pragma once
// The parameters of a translator under the names of CTranslate2, and its numbers of activations.

#include "interop/parameters/walk.h"
#include "nn/models/transformer.h"

namespace calque {

// Skips the position tables and the output bias. Visits the tables of source, target and output
// separately, even if they are one tensor.
void walk_ctranslate2(ParameterWalk& walk, const Transformer& model);

// That of SwiGLU is the number of its gate's activation.
int32_t ct2_activation(Activation activation);

}  // namespace calque
