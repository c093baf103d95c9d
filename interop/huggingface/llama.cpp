// The settings of Llama and its relatives: Mistral, Qwen 2 and 3, Gemma 3.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "interop/huggingface/language_model_types.h"
#include "interop/huggingface/parts.h"
#include "interop/huggingface/rotation.h"

namespace calque {
namespace {

using Json = nlohmann::ordered_json;

constexpr int64_t longest_window = 1 << 24;

// What all have in common. Without head_dim a head has `head` numbers, or an equal share if that
// is 0; without num_key_value_heads there are `kv` heads of keys and values.
void read_common(const ForeignJson& config, int64_t head, std::optional<int64_t> kv, Config& to) {
  ModelConfig& model = to.model;
  read_sizes(config, model);
  to.data.context = config.integer("max_position_embeddings", 1, 1 << 20);
  const int64_t kv_heads = config.integer("num_key_value_heads", 1, 1024, kv.value_or(model.heads));
  if (model.heads % kv_heads != 0) {
    config.refuse("num_key_value_heads",
                  fmt::format("is {}, which does not divide {} heads", kv_heads, model.heads));
  }
  if (head == 0) head = equal_share(model);
  if (head == 0 && !config.has("head_dim")) {
    config.refuse("num_attention_heads", "must divide hidden_size, or head_dim must be set");
  }
  const int64_t size = config.integer("head_dim", 1, most_units, head);
  set_heads(model, kv_heads, size);
  model.positions = PositionKind::rotary;
  model.rotation = read_rotation(config);
  if (size % 2 != 0) config.refuse("head_dim", "must be even");
  model.norm_kind = NormKind::rms;
  model.norm_epsilon = static_cast<real>(config.number("rms_norm_eps", 1e-6));
  model.attention_dropout = static_cast<real>(config.number("attention_dropout", 0.0));
  model.dropout = 0;
  model.activation = Activation::swiglu;
  model.biases = BiasedLayers::none;
}

void require_silu(const ForeignJson& config) {
  if (read_activation(config, "hidden_act") != Activation::silu) {
    config.refuse("hidden_act", "must be silu");
  }
}

void read_attention_bias(const ForeignJson& config, ModelConfig& to) {
  if (config.flag("attention_bias", false)) to.biases = BiasedLayers::attention;
}

// A token of transformers' window sees itself and the tokens before it, calque counts only those.
int64_t read_window(const ForeignJson& config, const char* name) {
  return config.integer(name, 2, longest_window) - 1;
}

// Reads which layers have a window: the list layer_types, or one in so many has none.
void read_layer_types(const ForeignJson& config, int64_t full_every, ModelConfig& to) {
  const std::vector<std::string> types = config.texts("layer_types");
  to.attention.full_every = full_every;
  if (types.empty()) return;
  if (std::ssize(types) != to.layers) config.refuse("layer_types", "must have a type per layer");
  const auto is_full = [](const std::string& type) { return type == "full_attention"; };
  const auto first = std::ranges::find_if(types, is_full) - types.begin();
  to.attention.full_every = first == to.layers ? 0 : first + 1;
  for (int64_t layer = 0; layer < to.layers; ++layer) {
    const std::string& type = types[static_cast<size_t>(layer)];
    const bool window = to.attention.at_layer(layer).window > 0;
    if (type != (window ? "sliding_attention" : "full_attention")) {
      config.refuse("layer_types",
                    fmt::format("has {} at layer {}; calque has one layer in so many without a "
                                "window",
                                type, layer));
    }
  }
}

void describe_common(const LanguageModel& model, Json& config) {
  const LayerOptions& layer = model.options.layer;
  describe_sizes(layer, model.options.layers, config);
  config["hidden_act"] = "silu";
  config["head_dim"] = layer.head_size();
  config["num_key_value_heads"] = layer.key_heads();
  config["max_position_embeddings"] = layer.max_positions;
  config["rms_norm_eps"] = layer.norm_epsilon;
  describe_rotation(layer.rotation, config);
}

bool has_attention_biases(const LayerOptions& layer) {
  return layer.biases == BiasedLayers::all || layer.biases == BiasedLayers::attention;
}

}  // namespace

void read_llama(const ForeignJson& config, Config& to) {
  read_common(config, 0, {}, to);
  require_silu(config);
  read_attention_bias(config, to.model);
  if (config.flag("mlp_bias", false)) to.model.biases = BiasedLayers::all;
}

void describe_llama(const LanguageModel& model, Json& config) {
  const LayerOptions& layer = model.options.layer;
  describe_common(model, config);
  config["attention_bias"] = has_attention_biases(layer);
  config["mlp_bias"] = layer.biases == BiasedLayers::all;
}

void read_mistral(const ForeignJson& config, Config& to) {
  read_common(config, 0, 8, to);
  require_silu(config);
  if (config.has("sliding_window"))
    to.model.attention.window = read_window(config, "sliding_window");
}

void describe_mistral(const LanguageModel& model, Json& config) {
  describe_common(model, config);
  config["sliding_window"] = model.options.layer.attention.window + 1;
}

void read_qwen2(const ForeignJson& config, Config& to) {
  read_common(config, 0, 32, to);
  require_silu(config);
  to.model.biases = BiasedLayers::qkv;
  if (!config.flag("use_sliding_window", false)) return;
  to.model.attention.window = read_window(config, "sliding_window");
  if (config.has("layer_types")) return read_layer_types(config, 0, to.model);
  if (config.integer("max_window_layers", 0, 1000, 28) < to.model.layers) {
    config.refuse("max_window_layers", "gives windows to some layers alone");
  }
  to.model.attention.window = 0;
}

void describe_qwen2(const LanguageModel& model, Json& config) {
  describe_common(model, config);
  config["use_sliding_window"] = false;
}

void read_qwen3(const ForeignJson& config, Config& to) {
  read_common(config, 128, 32, to);
  require_silu(config);
  to.model.qk_norm = true;
  read_attention_bias(config, to.model);
  if (config.flag("use_sliding_window", false)) {
    config.refuse("use_sliding_window", "must be false");
  }
}

void describe_qwen3(const LanguageModel& model, Json& config) {
  describe_common(model, config);
  config["attention_bias"] = has_attention_biases(model.options.layer);
  config["use_sliding_window"] = false;
}

void read_gemma3(const ForeignJson& config, Config& to) {
  read_common(config, 256, 4, to);
  ModelConfig& model = to.model;
  if (read_activation(config, "hidden_activation") != Activation::gelu_tanh) {
    config.refuse("hidden_activation", "must be gelu_pytorch_tanh");
  }
  read_attention_bias(config, model);
  model.activation = Activation::geglu_tanh;
  model.norm_placement = NormPlacement::both;
  model.norm_kind = NormKind::rms_centered;
  model.qk_norm = true;
  model.scale_embeddings = true;
  const double scalar = config.number("query_pre_attn_scalar", 256.0);
  if (!(scalar > 0)) config.refuse("query_pre_attn_scalar", "must be above 0");
  if (scalar != static_cast<double>(model.head_size())) {
    model.attention_scale = static_cast<real>(1 / std::sqrt(scalar));
  }
  model.attention_cap = static_cast<real>(config.number("attn_logit_softcapping", 0.0));
  model.output_cap = static_cast<real>(config.number("final_logit_softcapping", 0.0));
  if (config.flag("use_bidirectional_attention", false)) {
    config.refuse("use_bidirectional_attention", "must be false");
  }
  model.attention.window = read_window(config, "sliding_window");
  const int64_t pattern = config.integer("_sliding_window_pattern", 1, 1000, 6);
  read_layer_types(config, config.integer("sliding_window_pattern", 1, 1000, pattern), model);
  if (!config.has("rope_parameters")) {
    if (!config.has("rope_theta")) model.rotation.base = 1e6;
    if (!config.has("rope_local_base_freq")) model.rotation.local_base = 10000;
  }
}

void describe_gemma3(const LanguageModel& model, Json& config) {
  const LayerOptions& layer = model.options.layer;
  const Sparsity& attention = layer.attention;
  describe_common(model, config);
  config.erase("hidden_act");
  config["hidden_activation"] = "gelu_pytorch_tanh";
  config["attention_bias"] = has_attention_biases(layer);
  const auto size = static_cast<double>(layer.head_size());
  const auto scale = static_cast<double>(layer.attention_scale);
  const double scalar = scale > 0 ? std::round(1e3 / (scale * scale)) / 1e3 : size;
  config["query_pre_attn_scalar"] = scalar;
  if (scalar == std::floor(scalar)) {  // transformers 5 refuses 24.0
    config["query_pre_attn_scalar"] = static_cast<int64_t>(scalar);
  }
  const auto cap = static_cast<double>(model.options.output_cap);
  if (cap > 0) config["final_logit_softcapping"] = cap;
  config["sliding_window"] = attention.window > 0 ? attention.window + 1 : longest_window;
  config["rope_local_base_freq"] = layer.rotation.at_layer(attention.window > 0).base;
  Json types = Json::array();
  for (int64_t i = 0; i < model.options.layers; ++i) {
    const bool window = attention.at_layer(i).window > 0;
    types.push_back(window ? "sliding_attention" : "full_attention");
  }
  config["layer_types"] = types;
}

}  // namespace calque
