#include "interop/huggingface_parts.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "interop/exported.h"

namespace calque {

void add_norm(TensorList& list, const std::string& name, const Norm& norm) {
  list.push_back({name + ".weight", norm.gain});
  if (norm.bias) list.push_back({name + ".bias", norm.bias});
}

std::string activation_name(FeedForwardKind kind) {
  switch (kind) {
    case FeedForwardKind::relu:
      return "relu";
    case FeedForwardKind::gelu:
      return "gelu";
    case FeedForwardKind::silu:
    case FeedForwardKind::swiglu:
      return "silu";
  }
  return {};
}

void add_encoder_layers(TensorList& list, const std::string& prefix,
                        const SelfAttentionStack& stack, const EncoderLayerNames& names) {
  for (size_t i = 0; i < stack.layers.size(); ++i) {
    const SelfAttentionLayer& layer = stack.layers[i];
    const std::string at = fmt::format("{}.{}.", prefix, i);
    const Linear& qkv = layer.self_attention.qkv;
    const int64_t d = qkv.weight.cols() / 3;
    const std::string projections = fmt::format("{}{}.", at, names.projections);
    add_linear(list, projections + "query", qkv, 0, d);
    add_linear(list, projections + "key", qkv, d, 2 * d);
    add_linear(list, projections + "value", qkv, 2 * d, 3 * d);
    add_linear(list, at + "attention.output.dense", layer.self_attention.output);
    add_norm(list, at + std::string(names.attention_norm), layer.self_attention_residual.norm);
    add_linear(list, at + "intermediate.dense", dense(layer.feed_forward).inner);
    add_linear(list, at + "output.dense", dense(layer.feed_forward).outer);
    add_norm(list, at + std::string(names.feed_forward_norm), layer.feed_forward_residual.norm);
  }
}

void describe_encoder(const LayerOptions& layer, int64_t layers, nlohmann::ordered_json& config) {
  config["hidden_size"] = layer.d_model;
  config["intermediate_size"] = layer.d_ff;
  config["num_hidden_layers"] = layers;
  config["num_attention_heads"] = layer.heads;
  config["hidden_act"] = activation_name(layer.feed_forward);
  config["layer_norm_eps"] = layer.norm_epsilon;
  config["hidden_dropout_prob"] = layer.dropout;
  config["attention_probs_dropout_prob"] = layer.attention_dropout;
  config["dtype"] = "float32";
}

void describe_classes(const std::vector<std::string>& labels, nlohmann::ordered_json& config) {
  for (size_t i = 0; i < labels.size(); ++i) {
    config["id2label"][std::to_string(i)] = labels[i];
    config["label2id"][labels[i]] = i;
  }
}

}  // namespace calque
