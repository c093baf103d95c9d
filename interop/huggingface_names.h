#pragma once
// The parameters under the names of the classes of Hugging Face's transformers.

#include "interop/parameter_walk.h"
#include "nn/classification_head.h"
#include "nn/encoder.h"
#include "nn/language_model.h"
#include "nn/transformer.h"
#include "nn/vision.h"

namespace calque {

// MarianMT and Pegasus. Skips the position tables and final_logits_bias.
void walk_huggingface(ParameterWalk& walk, const Transformer& model);

// Llama, GPT-NeoX or GPT-2, by shape_of(). Skips GPT-2's position table.
void walk_huggingface(ParameterWalk& walk, const LanguageModel& model);

// BERT. Skips the tables of positions and segments.
void walk_huggingface(ParameterWalk& walk, const MaskedLm& model);
void walk_huggingface(ParameterWalk& walk, const Classifier& model);

// ViT. Skips the class token, the position table and the patch matrix, which ViT stores as a
// convolution.
void walk_huggingface(ParameterWalk& walk, const VisionTransformer& model);

}  // namespace calque
