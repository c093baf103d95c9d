// Llama, GPT-NeoX and GPT-2: language models.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "data/tokenizers/vocabulary.h"
#include "interop/huggingface/format.h"
#include "interop/huggingface/names.h"
#include "interop/huggingface/parts.h"
#include "interop/model.h"
#include "interop/parameters/filling_walk.h"
#include "interop/parameters/positions.h"
#include "interop/tokenizers/json.h"
#include "interop/tokenizers/json_import.h"
#include "train/config/fine_tuning.h"

namespace calque {
namespace {

using Json = nlohmann::ordered_json;

TensorList language_model_tensors(const LanguageModel& model) {
  const LayerOptions& options = model.options.layer;
  ListingWalk walk;
  walk_huggingface(walk, model);
  if (shape_of(options) == LanguageModelShape::gpt2) {
    walk.tensor("transformer.wpe.weight",
                position_table(model.positions, options.max_positions, options.d_model));
  }
  return std::move(walk.list);
}

// The keys that Llama and GPT-NeoX have in common.
void describe_text(const LayerOptions& layer, const LanguageModelOptions& options, Json& config) {
  describe_sizes(layer, options.layers, config);
  config["max_position_embeddings"] = layer.max_positions;
  config["attention_bias"] = true;
}

void describe_llama(const LayerOptions& layer, const LanguageModelOptions& options, Json& config) {
  config["architectures"] = {"LlamaForCausalLM"};
  config["model_type"] = "llama";
  describe_text(layer, options, config);
  config["num_key_value_heads"] = layer.heads;
  config["rms_norm_eps"] = layer.norm_epsilon;
  config["rope_theta"] = 10000.0;
  config["mlp_bias"] = true;
}

void describe_gpt_neox(const LayerOptions& layer, const LanguageModelOptions& options,
                       Json& config) {
  config["architectures"] = {"GPTNeoXForCausalLM"};
  config["model_type"] = "gpt_neox";
  describe_text(layer, options, config);
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
  switch (shape_of(layer)) {
    case LanguageModelShape::llama:
      return describe_llama(layer, model.options, config);
    case LanguageModelShape::gpt_neox:
      return describe_gpt_neox(layer, model.options, config);
    case LanguageModelShape::gpt2:
      return describe_gpt2(layer, model.options, config);
  }
}

Json config_of(const LanguageModel& model) {
  Json config;
  describe(model, config);
  config["vocab_size"] = model.options.vocabulary;
  config["tie_word_embeddings"] = one_table(model);
  config["bos_token_id"] = begin_id;
  config["eos_token_id"] = end_id;
  config["pad_token_id"] = end_id;
  config["dtype"] = "float32";
  return config;
}

Json generation_config() {
  Json config;
  config["bos_token_id"] = begin_id;
  config["eos_token_id"] = end_id;
  config["pad_token_id"] = end_id;
  config["suppress_tokens"] = {unknown_id, begin_id};
  return config;
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

// Throws unless the setting is missing or is `value`, the only one that calque can represent.
void require_number(const ForeignJson& config, std::string_view name, double value) {
  const double found = config.number(name, value);
  if (found != value) config.refuse(name, fmt::format("is {}; calque has {}", found, value));
}
void require_flag(const ForeignJson& config, std::string_view name, bool value, bool fallback) {
  if (config.flag(name, fallback) != value) {
    config.refuse(name, fmt::format("must be {}", value));
  }
}

// Requires rotary positions over the whole head with the base 10000, in old and new settings.
void require_usual_rotation(const ForeignJson& config) {
  for (const char* name : {"rope_theta", "rotary_emb_base"}) require_number(config, name, 10000);
  for (const char* name : {"rotary_pct", "partial_rotary_factor"}) require_number(config, name, 1);
  if (config.has("rope_scaling")) config.refuse("rope_scaling", "must be null");
  if (!config.has("rope_parameters")) return;
  const ForeignJson rope(config.json()["rope_parameters"], config.path() + ": rope_parameters");
  require_number(rope, "rope_theta", 10000);
  require_number(rope, "partial_rotary_factor", 1);
  const std::string type = rope.text("rope_type", "default");
  if (type != "default") rope.refuse("rope_type", fmt::format("is {}; calque has default", type));
}

// Reads the settings that Llama and GPT-NeoX name alike.
void read_text(const ForeignJson& config, Config& to) {
  ModelConfig& model = to.model;
  read_sizes(config, model);
  to.data.context = config.integer("max_position_embeddings", 1, 1 << 20);
  model.positions = PositionKind::rotary;
  model.attention_dropout = static_cast<real>(config.number("attention_dropout", 0.0));
  require_usual_rotation(config);
}

void read_llama(const ForeignJson& config, Config& to) {
  read_text(config, to);
  ModelConfig& model = to.model;
  model.norm_kind = NormKind::rms;
  model.norm_epsilon = static_cast<real>(config.number("rms_norm_eps", 1e-6));
  model.activation = Activation::swiglu;
  model.dropout = 0;
  if (read_activation(config, "hidden_act") != Activation::silu) {
    config.refuse("hidden_act", "must be silu");
  }
  if (config.integer("num_key_value_heads", 1, 1024, model.heads) != model.heads) {
    config.refuse("num_key_value_heads",
                  "must be num_attention_heads: calque has keys and values for every head");
  }
  if (config.integer("head_dim", 1, most_units, model.d_model / model.heads) !=
      model.d_model / model.heads) {
    config.refuse("head_dim", "must be hidden_size / num_attention_heads");
  }
}

void read_gpt_neox(const ForeignJson& config, Config& to) {
  read_text(config, to);
  require_flag(config, "use_parallel_residual", false, true);
  to.model.norm_epsilon = static_cast<real>(config.number("layer_norm_eps", 1e-5));
  to.model.activation = read_activation(config, "hidden_act");
  to.model.dropout = static_cast<real>(config.number("hidden_dropout", 0.0));
}

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
  require_flag(config, "scale_attn_weights", true, true);
  require_flag(config, "scale_attn_by_inverse_layer_idx", false, false);
  require_flag(config, "add_cross_attention", false, false);
}

struct LanguageModelType {
  std::string_view name;
  void (*read)(const ForeignJson&, Config&);
  std::string prefix;             // of all tensors but the output's
  std::string embedding, output;  // the tables
  bool tied;                      // the default of tie_word_embeddings
};

const LanguageModelType language_model_types[] = {
    {"llama", read_llama, "model.", "embed_tokens.weight", "lm_head.weight", false},
    {"gpt_neox", read_gpt_neox, "gpt_neox.", "embed_in.weight", "embed_out.weight", false},
    {"gpt2", read_gpt2, "transformer.", "wte.weight", "lm_head.weight", true}};

const LanguageModelType* find_type(const std::string& name) {
  const auto* found = std::ranges::find(language_model_types, name, &LanguageModelType::name);
  return found == std::end(language_model_types) ? nullptr : found;
}

// Drops the constants that older versions of transformers stored with the weights: masks, and the
// frequencies of rotary positions.
void drop_constants(const LanguageModelType& type, int64_t layers, ForeignTensors& tensors) {
  const std::string stack = type.prefix + (type.name == "gpt2" ? "h" : "layers");
  for (int64_t i = 0; i < layers; ++i) {
    for (const char* name :
         {"attn.bias", "attn.masked_bias", "attention.bias", "attention.masked_bias",
          "attention.rotary_emb.inv_freq", "self_attn.rotary_emb.inv_freq"}) {
      tensors.drop(fmt::format("{}.{}.{}", stack, i, name));
    }
  }
}

// Reads the tensors under the names that the walk visits. A file may omit the prefix,
// as GPT-2's does.
ForeignTensors read_tensors(const HuggingfaceFolder& folder, const LanguageModelType& type,
                            bool tied, int64_t layers) {
  ForeignTensors tensors = read_weights_folder(folder.path);
  if (!tensors.has(type.prefix + type.embedding) && tensors.has(type.embedding)) {
    tensors.add_prefix(type.prefix, type.output);
  }
  if (tied) tensors.drop(type.output);
  drop_constants(type, layers, tensors);
  return tensors;
}

// The row of <s> or </s>: the first id of the setting, or no_row if it has none.
int64_t special_row(const ForeignJson& config, std::string_view name, int64_t size) {
  const std::vector<int64_t> ids = config.integers(name);
  if (ids.empty()) return no_row;
  if (ids.front() < 0 || ids.front() >= size) config.refuse(name, "is not below vocab_size");
  return ids.front();
}

// The tokens that the model cannot predict: those without a row, and special symbols that have the
// row of a later special symbol, such as the <s> of GPT-2.
std::vector<size_t> absent_tokens(const VocabularyRows& rows) {
  std::vector<size_t> absent;
  for (size_t id = 0; id < rows.size(); ++id) {
    const size_t next = id + 1;
    const bool twice =
        next < special_ids && std::count(rows.begin() + static_cast<std::ptrdiff_t>(next),
                                         rows.begin() + special_ids, rows[id]) > 0;
    if (rows[id] == no_row || twice) absent.push_back(id);
  }
  return absent;
}

}  // namespace

void write_huggingface(const Exported<LanguageModel>& from, ExportFolder& to) {
  to.write_safetensors("model.safetensors", language_model_tensors(from.model), "pt");
  to.write_json("config.json", config_of(from.model));
  to.write_json("generation_config.json", generation_config());
  write_tokenizer(to, from.source(), TextUse::continued, from.model.options.layer.max_positions);
  to.write("README.md", language_model_readme);
}

bool is_language_model(const std::string& type) { return find_type(type) != nullptr; }

Imported<LanguageModel> import_huggingface_language_model(const HuggingfaceFolder& folder) {
  const ForeignJson& config = folder.config;
  const LanguageModelType& type = *find_type(config.text("model_type"));
  Imported<LanguageModel> to(fine_tuning_config(TaskKind::language_model));
  ModelConfig& model = to.config.model;
  model.norm_placement = NormPlacement::pre;
  model.scale_embeddings = false;
  type.read(config, to.config);
  const bool tied = config.flag("tie_word_embeddings", type.tied);
  model.tied = tied ? Tying::all : Tying::none;
  ForeignTensors tensors = read_tensors(folder, type, tied, model.layers);

  ForeignVocabularies rows;
  rows.target_size = config.integer("vocab_size", 1, most_tokens);
  ForeignTokenizer tokenizer = read_tokenizer_json(
      folder.file("tokenizer.json"),
      {special_row(config, "bos_token_id", rows.target_size),
       special_row(config, "eos_token_id", rows.target_size), rows.target_size});
  rows.target = tokenizer.rows;
  const std::vector<size_t> absent = absent_tokens(rows.target);
  model.output_bias = !absent.empty();
  to.use({tokenizer.tokenizer});
  to.config.training.batch_tokens =
      std::max(to.config.training.batch_tokens, to.config.data.context);

  Tensor positions;
  if (type.name == "gpt2") {
    positions = tensors.take("transformer.wpe.weight", {to.config.data.context, model.d_model});
    model.positions = kind_of_table(positions);
  }
  const auto rest = [positions, absent](const LanguageModel& own) {
    if (positions) fill_learned(own.positions, positions);
    for (const size_t id : absent) own.output.bias.data()[id] = absent_logit;
  };
  to.fill = filling<LanguageModel>(walk_huggingface, tensors, rows, rest,
                                   type.name == "gpt2" ? Biases::required : Biases::optional);
  return to;
}

}  // namespace calque
