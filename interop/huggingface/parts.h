#pragma once
// What the models of transformers share: the folder, activations, settings of encoders, and labels.

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "interop/files/json.h"
#include "interop/model.h"
#include "interop/parameters/tensors.h"

namespace calque {

struct HuggingfaceFolder {
  std::string path;
  ForeignJson config;
  // generation_config.json; without it config.json, which has the same settings in older folders.
  ForeignJson generation;

  explicit HuggingfaceFolder(const std::string& folder);
  std::string file(const std::string& name) const { return path + "/" + name; }
};

// The names of the activations in transformers; of two names, an export has the first. That of
// SwiGLU is the activation of its gate.
inline constexpr Named<Activation> huggingface_activations[] = {
    {"relu", Activation::relu},          {"gelu", Activation::gelu},
    {"gelu_new", Activation::gelu_tanh}, {"gelu_pytorch_tanh", Activation::gelu_tanh},
    {"silu", Activation::silu},          {"swish", Activation::silu},
    {"silu", Activation::swiglu}};

// The activation function that the setting `key` names.
Activation read_activation(const ForeignJson& config, std::string_view key);

// Read and write the settings of layers that several models name alike: the sizes of encoders,
// Llama and GPT-NeoX, and all settings of encoders. `dropout` is the default of the dropout rates.
void read_sizes(const ForeignJson& config, ModelConfig& to);
void read_encoder(const ForeignJson& config, double dropout, ModelConfig& to);
void describe_sizes(const LayerOptions& layer, int64_t layers, nlohmann::ordered_json& config);
void describe_encoder(const LayerOptions& layer, int64_t layers, nlohmann::ordered_json& config);
// Writes the sizes and dropout rates of a translator, which its classes name alike.
void describe_translator(const TransformerOptions& options, nlohmann::ordered_json& config);

// Reads `decoding` from the settings of generation_config.json. `unknown` is the id of <unk>.
void read_decoding(const ForeignJson& generation, int64_t unknown, DecodingConfig& to);

// Read and write the labels of a classifier. Those read are sorted, and the rows of its output in
// `tensors` get the same order.
std::vector<std::string> take_sorted_labels(const ForeignJson& config, int64_t d_model,
                                            ForeignTensors& tensors);
void describe_classes(const std::vector<std::string>& labels, nlohmann::ordered_json& config);

// Whether the model_type `type` is a language model that calque imports.
bool is_language_model(const std::string& type);

Imported<Transformer> import_huggingface_translator(const HuggingfaceFolder& folder);
Imported<LanguageModel> import_huggingface_language_model(const HuggingfaceFolder& folder);
AnyImported import_huggingface_bert(const HuggingfaceFolder& folder);
Imported<VisionTransformer> import_huggingface_vit(const HuggingfaceFolder& folder);

}  // namespace calque
