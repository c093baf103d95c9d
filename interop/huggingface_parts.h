#pragma once
// What the exports to transformers share.

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "interop/tensor_list.h"
#include "nn/encoder.h"
#include "nn/norm.h"
#include "nn/options.h"

namespace calque {

// NAME.weight and NAME.bias.
void add_norm(TensorList& list, const std::string& name, const Norm& norm);

// The library's name for the function. It calls the first factor of SwiGLU silu.
std::string activation_name(FeedForwardKind kind);

// The names in which the layers of BERT and of ViT differ.
struct EncoderLayerNames {
  std::string_view projections, attention_norm, feed_forward_norm;
};
// PREFIX.0.attention..., PREFIX.1.attention..., ...
void add_encoder_layers(TensorList& list, const std::string& prefix,
                        const SelfAttentionStack& stack, const EncoderLayerNames& names);

// The sizes of an encoder, and the names of its classes.
void describe_encoder(const LayerOptions& layer, int64_t layers, nlohmann::ordered_json& config);
void describe_classes(const std::vector<std::string>& labels, nlohmann::ordered_json& config);

}  // namespace calque
