#include "interop/huggingface/parts.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "interop/huggingface/format.h"

namespace calque {

HuggingfaceFolder::HuggingfaceFolder(const std::string& folder)
    : path(folder),
      config(ForeignJson::read(file("config.json"))),
      generation(std::filesystem::exists(file("generation_config.json"))
                     ? ForeignJson::read(file("generation_config.json"))
                     : config) {}

Activation read_activation(const ForeignJson& config, std::string_view key) {
  const std::string name = config.text(key);
  if (const auto found = choice_named(huggingface_activations, name)) return *found;
  config.refuse(key, fmt::format("is {}; calque has relu, gelu, gelu_new and silu", name));
}

void read_sizes(const ForeignJson& config, ModelConfig& to) {
  to.d_model = config.integer("hidden_size", 1, most_units);
  to.d_ff = config.integer("intermediate_size", 1, 1 << 20);
  to.layers = config.integer("num_hidden_layers", 1, 1000);
  to.heads = config.integer("num_attention_heads", 1, 1024);
}

void read_encoder(const ForeignJson& config, double dropout, ModelConfig& to) {
  read_sizes(config, to);
  to.activation = read_activation(config, "hidden_act");
  to.norm_epsilon = static_cast<real>(config.number("layer_norm_eps", 1e-12));
  to.dropout = static_cast<real>(config.number("hidden_dropout_prob", dropout));
  to.attention_dropout = static_cast<real>(config.number("attention_probs_dropout_prob", dropout));
}

void read_decoding(const ForeignJson& generation, int64_t unknown, DecodingConfig& to) {
  to.beam = generation.integer("num_beams", 1, 1000, 1);
  to.length_penalty = generation.number("length_penalty", 1.0);
  const std::vector<int64_t> suppressed = generation.integers("suppress_tokens");
  to.allow_unknown = std::ranges::count(suppressed, unknown) == 0;
}

AnyImported import_huggingface(const std::string& path) {
  const HuggingfaceFolder folder(path);
  const std::string type = folder.config.text("model_type");
  if (type == "marian" || type == "pegasus") return import_huggingface_translator(folder);
  if (is_language_model(type)) return import_huggingface_language_model(folder);
  if (type == "bert") return import_huggingface_bert(folder);
  if (type == "vit") return import_huggingface_vit(folder);
  folder.config.refuse("model_type",
                       fmt::format("is {}; calque imports marian, pegasus, gpt2, gpt_neox, llama, "
                                   "mistral, qwen2, qwen3, gemma3_text, bert and vit",
                                   type));
}

void describe_sizes(const LayerOptions& layer, int64_t layers, nlohmann::ordered_json& config) {
  config["hidden_size"] = layer.d_model;
  config["intermediate_size"] = layer.d_ff;
  config["num_hidden_layers"] = layers;
  config["num_attention_heads"] = layer.heads;
  config["hidden_act"] = name_of(huggingface_activations, layer.activation);
}

void describe_encoder(const LayerOptions& layer, int64_t layers, nlohmann::ordered_json& config) {
  describe_sizes(layer, layers, config);
  config["layer_norm_eps"] = layer.norm_epsilon;
  config["hidden_dropout_prob"] = layer.dropout;
  config["attention_probs_dropout_prob"] = layer.attention_dropout;
  config["dtype"] = "float32";
}

void describe_translator(const TransformerOptions& options, nlohmann::ordered_json& config) {
  const LayerOptions& layer = options.layer;
  config["d_model"] = layer.d_model;
  for (const char* side : {"encoder", "decoder"}) {
    const std::string name(side);
    config[name + "_layers"] = name == "encoder" ? options.encoder_layers : options.decoder_layers;
    config[name + "_attention_heads"] = layer.heads;
    config[name + "_ffn_dim"] = layer.d_ff;
  }
  config["activation_function"] = name_of(huggingface_activations, layer.activation);
  config["scale_embedding"] = layer.scale_embeddings;
  config["dropout"] = layer.dropout;
  config["attention_dropout"] = layer.attention_dropout;
  config["activation_dropout"] = layer.activation_dropout;
}

}  // namespace calque
