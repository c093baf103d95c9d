#include "interop/huggingface/parts.h"

#include <nlohmann/json.hpp>

namespace calque {

void describe_encoder(const LayerOptions& layer, int64_t layers, nlohmann::ordered_json& config) {
  config["hidden_size"] = layer.d_model;
  config["intermediate_size"] = layer.d_ff;
  config["num_hidden_layers"] = layers;
  config["num_attention_heads"] = layer.heads;
  config["hidden_act"] = name_of(huggingface_activations, layer.activation);
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
