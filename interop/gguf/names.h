#pragma once
// The parameters of a language model under the names of llama.cpp.

#include "interop/parameters/walk.h"
#include "nn/models/language_model.h"

namespace calque {

// Llama, GPT-NeoX or GPT-2, by shape_of().
void walk_gguf(ParameterWalk& walk, const LanguageModel& model);

}  // namespace calque
