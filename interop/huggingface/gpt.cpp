// The settings of GPT-2 and GPT-NeoX.
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "interop/huggingface/language_model_types.h"
#include "interop/huggingface/parts.h"
#include "interop/huggingface/rotation.h"

namespace calque {
namespace {

void require_setting(const ForeignJson& config, std::string_view name, bool value, bool fallback) {
  if (config.flag(name, fallback) != value) {
    config.refuse(name, fmt::format("must be {}", value));
  }
}

}  // namespace

void read_gpt2(const ForeignJson& config, Config& to) {
  ModelConfig& model = to.model;
  model.d_model = config.integer("n_embd", 1, most_units);
  model.d_ff = config.integer("n_inner", 1, 1 << 20, 4 * model.d_model);
  model.layers = config.integer("n_layer", 1, 1000);
  model.heads = config.integer("n_head", 1, 1024);
  to.data.context = config.integer("n_positions", 1, 1 << 20, 1024);
  model.norm_epsilon = static_cast<real>(config.number("layer_norm_epsilon", 1e-5));
  model.activation = config.has("activation_function")
                         ? read_activation(config, "activation_function")
                         : Activation::gelu_tanh;
  model.dropout = static_cast<real>(config.number("resid_pdrop", 0.1));
  model.attention_dropout = static_cast<real>(config.number("attn_pdrop", 0.1));
  require_setting(config, "scale_attn_weights", true, true);
  require_setting(config, "scale_attn_by_inverse_layer_idx", false, false);
  require_setting(config, "add_cross_attention", false, false);
}

void describe_gpt2(const LanguageModel& model, nlohmann::ordered_json& config) {
  const LayerOptions& layer = model.options.layer;
  config["n_embd"] = layer.d_model;
  config["n_inner"] = layer.d_ff;
  config["n_layer"] = model.options.layers;
  config["n_head"] = layer.heads;
  config["n_positions"] = layer.max_positions;
  config["activation_function"] = name_of(huggingface_activations, layer.activation);
  config["layer_norm_epsilon"] = layer.norm_epsilon;
}

void read_gpt_neox(const ForeignJson& config, Config& to) {
  ModelConfig& model = to.model;
  read_sizes(config, model);
  to.data.context = config.integer("max_position_embeddings", 1, 1 << 20);
  model.positions = PositionKind::rotary;
  model.rotation = read_rotation(config);
  if (!config.has("rotary_pct") && !config.has("rope_parameters")) model.rotation.part = 0.25;
  if (model.rotation.scaling != RotationScaling()) config.refuse("rope_scaling", "must be null");
  model.attention_dropout = static_cast<real>(config.number("attention_dropout", 0.0));
  require_setting(config, "use_parallel_residual", false, true);
  require_setting(config, "attention_bias", true, true);
  model.norm_epsilon = static_cast<real>(config.number("layer_norm_eps", 1e-5));
  model.activation = read_activation(config, "hidden_act");
  model.dropout = static_cast<real>(config.number("hidden_dropout", 0.0));
}

void describe_gpt_neox(const LanguageModel& model, nlohmann::ordered_json& config) {
  const LayerOptions& layer = model.options.layer;
  describe_sizes(layer, model.options.layers, config);
  config["max_position_embeddings"] = layer.max_positions;
  config["attention_bias"] = true;
  config["layer_norm_eps"] = layer.norm_epsilon;
  config["rotary_emb_base"] = layer.rotation.base;
  config["rotary_pct"] = layer.rotation.part;
  config["use_parallel_residual"] = false;
}

}  // namespace calque
