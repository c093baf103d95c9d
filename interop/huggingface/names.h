#pragma once
// The parameters under the names of the classes of Hugging Face's transformers.

#include "interop/parameters/walk.h"
#include "nn/models/classification_head.h"
#include "nn/models/encoder.h"
#include "nn/models/language_model.h"
#include "nn/models/transformer.h"
#include "nn/models/vision.h"

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
