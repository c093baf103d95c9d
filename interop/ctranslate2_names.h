#pragma once
// The parameters of a translator under the names of CTranslate2.

#include "interop/parameter_walk.h"
#include "nn/transformer.h"

namespace calque {

// Without the tables of positions. The tables of embeddings and of the output are visited each,
// also where they are one.
void walk_ctranslate2(ParameterWalk& walk, const Transformer& model);

}  // namespace calque
