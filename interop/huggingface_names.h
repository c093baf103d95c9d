#pragma once
// The parameters under the names of the classes of Hugging Face's transformers.

#include "interop/parameter_walk.h"
#include "nn/language_model.h"
#include "nn/transformer.h"

namespace calque {

// MarianMT and Pegasus. Without the tables of positions and final_logits_bias.
void walk_huggingface(ParameterWalk& walk, const Transformer& model);

// Llama, GPT-NeoX or GPT-2, by shape_of(). Without GPT-2's table of positions.
void walk_huggingface(ParameterWalk& walk, const LanguageModel& model);

}  // namespace calque
