#include <nlohmann/json.hpp>

#include "data/tokenizers/vocabulary.h"
#include "interop/export_folder.h"
#include "interop/formats.h"
#include "interop/huggingface/export.h"
#include "interop/huggingface/names.h"
#include "interop/huggingface/parts.h"
#include "interop/tokenizers/json.h"

namespace calque {
namespace {

using Json = nlohmann::ordered_json;

TensorList language_model_tensors(const LanguageModel& model) {
  const LayerOptions& options = model.options.layer;
  ListingWalk walk;
  walk_huggingface(walk, model);
  if (calque::shape_of(options) == LanguageModelShape::gpt2) {
    walk.tensor("transformer.wpe.weight",
                position_table(model.positions, options.max_positions, options.d_model));
  }
  return std::move(walk.list);
}

// The keys that Llama and GPT-NeoX have in common.
void describe_sizes(const LayerOptions& layer, const LanguageModelOptions& options, Json& config) {
  config["hidden_size"] = layer.d_model;
  config["intermediate_size"] = layer.d_ff;
  config["num_hidden_layers"] = options.layers;
  config["num_attention_heads"] = layer.heads;
  config["hidden_act"] = name_of(huggingface_activations, layer.activation);
  config["max_position_embeddings"] = layer.max_positions;
  config["attention_bias"] = true;
}

void describe_llama(const LayerOptions& layer, const LanguageModelOptions& options, Json& config) {
  config["architectures"] = {"LlamaForCausalLM"};
  config["model_type"] = "llama";
  describe_sizes(layer, options, config);
  config["num_key_value_heads"] = layer.heads;
  config["rms_norm_eps"] = layer.norm_epsilon;
  config["rope_theta"] = 10000.0;
  config["mlp_bias"] = true;
}

void describe_gpt_neox(const LayerOptions& layer, const LanguageModelOptions& options,
                       Json& config) {
  config["architectures"] = {"GPTNeoXForCausalLM"};
  config["model_type"] = "gpt_neox";
  describe_sizes(layer, options, config);
  config["layer_norm_eps"] = layer.norm_epsilon;
  config["rotary_emb_base"] = 10000;
  config["rotary_pct"] = 1.0;
  config["use_parallel_residual"] = false;
}

void describe_gpt2(const LayerOptions& layer, const LanguageModelOptions& options, Json& config) {
  config["architectures"] = {"GPT2LMHeadModel"};
  config["model_type"] = "gpt2";
  config["n_embd"] = layer.d_model;
  config["n_inner"] = layer.d_ff;
  config["n_layer"] = options.layers;
  config["n_head"] = layer.heads;
  config["n_positions"] = layer.max_positions;
  config["activation_function"] = name_of(huggingface_activations, layer.activation);
  config["layer_norm_epsilon"] = layer.norm_epsilon;
}

void describe(const LanguageModel& model, Json& config) {
  const LayerOptions& layer = model.options.layer;
  switch (calque::shape_of(layer)) {
    case LanguageModelShape::llama:
      return describe_llama(layer, model.options, config);
    case LanguageModelShape::gpt_neox:
      return describe_gpt_neox(layer, model.options, config);
    case LanguageModelShape::gpt2:
      return describe_gpt2(layer, model.options, config);
  }
}

std::string config_text(const LanguageModel& model) {
  Json config;
  describe(model, config);
  config["vocab_size"] = model.options.vocabulary;
  config["tie_word_embeddings"] = one_table(model);
  config["bos_token_id"] = begin_id;
  config["eos_token_id"] = end_id;
  config["pad_token_id"] = end_id;
  config["dtype"] = "float32";
  return config.dump(2) + "\n";
}

std::string generation_text() {
  Json config;
  config["bos_token_id"] = begin_id;
  config["eos_token_id"] = end_id;
  config["pad_token_id"] = end_id;
  config["suppress_tokens"] = {unknown_id, begin_id};
  return config.dump(2) + "\n";
}

constexpr std::string_view language_model_readme =
    R"(# A language model for Hugging Face transformers

```python
from transformers import AutoModelForCausalLM, AutoTokenizer
tokenizer = AutoTokenizer.from_pretrained("PATH OF THIS FOLDER")
model = AutoModelForCausalLM.from_pretrained("PATH OF THIS FOLDER")
prompt = tokenizer("The", return_tensors="pt", return_token_type_ids=False)
print(tokenizer.decode(model.generate(**prompt, max_new_tokens=40)[0], skip_special_tokens=True))
```
)";

}  // namespace

void export_huggingface(const ExportedLanguageModel& from, const std::string& out) {
  require_exportable(ExportFormat::huggingface, from.config, out);
  const LanguageModel& model = from.model;
  ExportFolder folder(out);
  folder.write_safetensors("model.safetensors", language_model_tensors(model), "pt");
  folder.write("config.json", config_text(model));
  folder.write("generation_config.json", generation_text());
  folder.write("tokenizer.json", tokenizer_json(from.tokenizer));
  folder.write("tokenizer_config.json",
               tokenizer_config_json(TextUse::continued, model.options.layer.max_positions));
  folder.write("README.md", language_model_readme);
  folder.finish();
}

}  // namespace calque
