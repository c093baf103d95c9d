#pragma once
// What the exports to transformers share.

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "nn/options.h"

namespace calque {

// The names of the activations in transformers; of two names, an export has the first. That of
// SwiGLU is the activation of its gate.
inline constexpr Named<Activation> huggingface_activations[] = {
    {"relu", Activation::relu},          {"gelu", Activation::gelu},
    {"gelu_new", Activation::gelu_tanh}, {"gelu_pytorch_tanh", Activation::gelu_tanh},
    {"silu", Activation::silu},          {"swish", Activation::silu},
    {"silu", Activation::swiglu}};

// Write the settings of an encoder, and the labels of a classifier, to `config`.
void describe_encoder(const LayerOptions& layer, int64_t layers, nlohmann::ordered_json& config);
void describe_classes(const std::vector<std::string>& labels, nlohmann::ordered_json& config);

}  // namespace calque
