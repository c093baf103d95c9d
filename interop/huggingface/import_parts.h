#pragma once
// What the imports from transformers share. Other imports use the limits and absent_logit.

#include <string>

#include "interop/files/json.h"
#include "interop/imported.h"
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

inline constexpr int64_t most_units = 65536;     // the largest width of a layer
inline constexpr int64_t most_tokens = 1 << 24;  // the largest vocabulary
inline constexpr int64_t most_positions = 1 << 24;

// The activation function that the setting `key` names.
Activation read_activation(const ForeignJson& config, std::string_view key);

// Reads the settings of the layers of BERT or ViT. `dropout` is the default of the dropout rates.
void read_encoder(const ForeignJson& config, double dropout, ModelConfig& to);

// Reads `decoding` from the settings of generation_config.json. `unknown` is the id of <unk>.
void read_decoding(const ForeignJson& generation, int64_t unknown, DecodingConfig& to);

// The output bias of a token that the other engine lacks: it makes the probability 0.
inline constexpr real absent_logit = -10'000;

// The labels of a classifier, sorted. The rows of its output in `tensors` get the same order.
std::vector<std::string> take_sorted_labels(const ForeignJson& config, int64_t d_model,
                                            ForeignTensors& tensors);

// Whether the model_type `type` is a language model that calque imports.
bool is_language_model(const std::string& type);

ImportedTranslator import_huggingface_translator(const HuggingfaceFolder& folder);
ImportedLanguageModel import_huggingface_language_model(const HuggingfaceFolder& folder);
Imported import_huggingface_bert(const HuggingfaceFolder& folder);
ImportedImageModel import_huggingface_vit(const HuggingfaceFolder& folder);

}  // namespace calque
