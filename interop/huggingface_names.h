#pragma once
// The parameters under the names of the classes of Hugging Face's transformers.

#include "interop/parameter_walk.h"
#include "nn/classification_head.h"
#include "nn/encoder.h"
#include "nn/language_model.h"
#include "nn/transformer.h"
#include "nn/vision.h"

namespace calque {

// MarianMT and Pegasus. Without the tables of positions and final_logits_bias.
void walk_huggingface(ParameterWalk& walk, const Transformer& model);

// Llama, GPT-NeoX or GPT-2, by shape_of(). Without GPT-2's table of positions.
void walk_huggingface(ParameterWalk& walk, const LanguageModel& model);

// BERT. Without its tables of positions and segments.
void walk_huggingface(ParameterWalk& walk, const MaskedLm& model);
void walk_huggingface(ParameterWalk& walk, const Classifier& model);

// ViT. Without its table of positions, and the matrix of the patches, which is a convolution there.
void walk_huggingface(ParameterWalk& walk, const VisionTransformer& model);

}  // namespace calque
