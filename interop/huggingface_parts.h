#pragma once
// What the exports to transformers share.

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "nn/options.h"

namespace calque {

// The library's name for the function. It calls the first factor of SwiGLU silu.
std::string activation_name(FeedForwardKind kind);

// The sizes of an encoder, and the names of its classes.
void describe_encoder(const LayerOptions& layer, int64_t layers, nlohmann::ordered_json& config);
void describe_classes(const std::vector<std::string>& labels, nlohmann::ordered_json& config);

}  // namespace calque
