// Language models: Llama and its relatives, GPT-NeoX and GPT-2.
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "data/conversations/turn_tokens.h"
#include "data/tokenizers/vocabulary.h"
#include "interop/huggingface/format.h"
#include "interop/huggingface/language_model_types.h"
#include "interop/huggingface/names.h"
#include "interop/huggingface/parts.h"
#include "interop/model.h"
#include "interop/parameters/filling_walk.h"
#include "interop/parameters/positions.h"
#include "interop/tokenizers/json.h"
#include "interop/tokenizers/json_import.h"
#include "train/config/fine_tuning.h"
#include "train/storage/durable_files.h"

namespace calque {
namespace {

using Json = nlohmann::ordered_json;

constexpr uint64_t largest_template = 1 << 20;

TensorList language_model_tensors(const LanguageModel& model, const KeptTokens& kept) {
  const LayerOptions& options = model.options.layer;
  ListingWalk walk(kept);
  walk_huggingface(walk, model);
  if (shape_of(options) == LanguageModelShape::gpt2) {
    walk.tensor("transformer.wpe.weight",
                position_table(model.positions, options.max_positions, options.d_model));
  }
  return std::move(walk.list);
}

const LanguageModelType language_model_types[] = {
    {"llama", LanguageModelShape::llama, "LlamaForCausalLM", read_llama, describe_llama, "model.",
     "embed_tokens.weight", "lm_head.weight", false},
    {"mistral", LanguageModelShape::mistral, "MistralForCausalLM", read_mistral, describe_mistral,
     "model.", "embed_tokens.weight", "lm_head.weight", false},
    {"qwen2", LanguageModelShape::qwen2, "Qwen2ForCausalLM", read_qwen2, describe_qwen2, "model.",
     "embed_tokens.weight", "lm_head.weight", false},
    {"qwen3", LanguageModelShape::qwen3, "Qwen3ForCausalLM", read_qwen3, describe_qwen3, "model.",
     "embed_tokens.weight", "lm_head.weight", false},
    {"gemma3_text", LanguageModelShape::gemma3, "Gemma3ForCausalLM", read_gemma3, describe_gemma3,
     "model.", "embed_tokens.weight", "lm_head.weight", true},
    {"gpt_neox", LanguageModelShape::gpt_neox, "GPTNeoXForCausalLM", read_gpt_neox,
     describe_gpt_neox, "gpt_neox.", "embed_in.weight", "embed_out.weight", false},
    {"gpt2", LanguageModelShape::gpt2, "GPT2LMHeadModel", read_gpt2, describe_gpt2, "transformer.",
     "wte.weight", "lm_head.weight", true}};

const LanguageModelType* find_type(const std::string& name) {
  const auto* found = std::ranges::find(language_model_types, name, &LanguageModelType::name);
  return found == std::end(language_model_types) ? nullptr : found;
}

const LanguageModelType& type_of(const LayerOptions& options) {
  return *std::ranges::find(language_model_types, shape_of(options), &LanguageModelType::shape);
}

Json config_of(const LanguageModel& model, const KeptTokens& kept) {
  const LanguageModelType& type = type_of(model.options.layer);
  Json config;
  config["architectures"] = {type.architecture};
  config["model_type"] = type.name;
  type.describe(model, config);
  config["vocab_size"] = kept.ids().size();
  config["tie_word_embeddings"] = one_table(model);
  config["bos_token_id"] = kept.engine_id(begin_id);
  config["eos_token_id"] = config["pad_token_id"] = kept.engine_id(end_id);
  config["dtype"] = "float32";
  return config;
}

// A model of conversations also stops at the marker that ends an answer.
Json generation_config(const TurnOptions& turns, const Tokenizer& tokenizer,
                       const KeptTokens& kept) {
  Json config;
  config["bos_token_id"] = kept.engine_id(begin_id);
  std::vector<int32_t> ends = TurnTokens(tokenizer, turns).ends();
  for (int32_t& end : ends) end = kept.engine_id(end);
  config["eos_token_id"] = ends.size() == 1 ? Json(ends.front()) : Json(ends);
  config["pad_token_id"] = kept.engine_id(end_id);
  for (const int32_t never : {unknown_id, begin_id}) {
    if (kept.has(never)) config["suppress_tokens"].push_back(kept.engine_id(never));
  }
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

// The turn format, if calque knows the folder's chat template.
TurnOptions read_turns(const HuggingfaceFolder& folder) {
  if (!std::filesystem::exists(folder.file("tokenizer_config.json"))) return {};
  const ForeignJson config = ForeignJson::read(folder.file("tokenizer_config.json"));
  const auto text = [&](const char* name) -> std::string {
    if (!config.has(name)) return "";
    const auto& token = config.json()[name];
    if (token.is_string()) return token;
    return token.is_object() ? token.value("content", "") : "";
  };
  std::string program = text("chat_template");
  if (const std::string file = folder.file("chat_template.jinja"); std::filesystem::exists(file)) {
    program = read_text(real_files(), file, largest_template);
  }
  return turns_of_template(program, text("bos_token"), text("eos_token"));
}

}  // namespace

void write_huggingface(const Exported<LanguageModel>& from, ExportFolder& to) {
  const KeptTokens kept(from.model);
  to.write_safetensors("model.safetensors", language_model_tensors(from.model, kept), "pt");
  to.write_json("config.json", config_of(from.model, kept));
  const TurnOptions& turns = from.config.data.turns;
  to.write_json("generation_config.json", generation_config(turns, from.source(), kept));
  write_tokenizer(to, from.source(), TextUse::continued, from.model.options.layer.max_positions,
                  turns.format == TurnFormat::none ? "" : template_of_turns(turns), &kept);
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
  to.config.data.turns = read_turns(folder);
  to.config.data.begin_windows = tokenizer.begins_texts;
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
