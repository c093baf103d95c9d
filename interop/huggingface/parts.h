#pragma once
// What the exports to transformers share.

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "nn/options.h"

namespace calque {

// The name of the activation function in transformers. For SwiGLU, it is silu, that of the gate.
std::string activation_name(FeedForwardKind kind);

// Write the settings of an encoder, and the labels of a classifier, to `config`.
void describe_encoder(const LayerOptions& layer, int64_t layers, nlohmann::ordered_json& config);
void describe_classes(const std::vector<std::string>& labels, nlohmann::ordered_json& config);

}  // namespace calque
