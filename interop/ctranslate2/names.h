#pragma once
// The parameters of a translator under the names of CTranslate2.

#include "interop/parameters/walk.h"
#include "nn/models/transformer.h"

namespace calque {

// Skips the position tables and the output bias. Visits the tables of source, target and output
// separately, even if they are one tensor.
void walk_ctranslate2(ParameterWalk& walk, const Transformer& model);

}  // namespace calque
