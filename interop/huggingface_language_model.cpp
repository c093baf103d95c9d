#include <cmath>
#include <nlohmann/json.hpp>

#include "data/vocabulary.h"
#include "interop/export_folder.h"
#include "interop/formats.h"
#include "interop/huggingface.h"
#include "interop/huggingface_parts.h"
#include "interop/tokenizer_json.h"

namespace calque {
namespace {

using Json = nlohmann::ordered_json;

// The classes do not scale embeddings, so the factor becomes part of the table, and the projection
// has a table of its own.
Tensor scaled_embedding(const LanguageModel& model) {
  return scaled(model.embedding.weight, std::sqrt(static_cast<real>(model.options.layer.d_model)));
}

TensorList llama_tensors(const LanguageModel& model) {
  const int64_t d = model.options.layer.d_model, width = model.options.layer.d_ff;
  TensorList to = {{"model.embed_tokens.weight", scaled_embedding(model)}};
  for (size_t i = 0; i < model.stack.layers.size(); ++i) {
    const SelfAttentionLayer& layer = model.stack.layers[i];
    const std::string name = fmt::format("model.layers.{}", i);
    add_norm(to, name + ".input_layernorm", layer.self_attention_residual.norm);
    const SelfAttention& attention = layer.self_attention;
    add_linear(to, name + ".self_attn.q_proj", attention.qkv, 0, d);
    add_linear(to, name + ".self_attn.k_proj", attention.qkv, d, 2 * d);
    add_linear(to, name + ".self_attn.v_proj", attention.qkv, 2 * d, 3 * d);
    add_linear(to, name + ".self_attn.o_proj", attention.output);
    add_norm(to, name + ".post_attention_layernorm", layer.feed_forward_residual.norm);
    const FeedForward& network = dense(layer.feed_forward);
    add_linear(to, name + ".mlp.gate_proj", network.inner, 0, width);
    add_linear(to, name + ".mlp.up_proj", network.inner, width, 2 * width);
    add_linear(to, name + ".mlp.down_proj", network.outer);
  }
  add_norm(to, "model.norm", *model.stack.norm);
  to.push_back({"lm_head.weight", model.output.weight});
  return to;
}

// GPT-2 stores linear layers as calque does, [in, out].
void add_convolution(TensorList& to, const std::string& name, const Linear& linear) {
  to.push_back({name + ".weight", linear.weight});
  to.push_back({name + ".bias", linear.bias});
}

TensorList gpt2_tensors(const LanguageModel& model) {
  const LayerOptions& options = model.options.layer;
  TensorList to = {{"transformer.wte.weight", scaled_embedding(model)},
                   {"transformer.wpe.weight",
                    position_table(model.positions, options.max_positions, options.d_model)}};
  for (size_t i = 0; i < model.stack.layers.size(); ++i) {
    const SelfAttentionLayer& layer = model.stack.layers[i];
    const std::string name = fmt::format("transformer.h.{}", i);
    add_norm(to, name + ".ln_1", layer.self_attention_residual.norm);
    add_convolution(to, name + ".attn.c_attn", layer.self_attention.qkv);
    add_convolution(to, name + ".attn.c_proj", layer.self_attention.output);
    add_norm(to, name + ".ln_2", layer.feed_forward_residual.norm);
    add_convolution(to, name + ".mlp.c_fc", dense(layer.feed_forward).inner);
    add_convolution(to, name + ".mlp.c_proj", dense(layer.feed_forward).outer);
  }
  add_norm(to, "transformer.ln_f", *model.stack.norm);
  to.push_back({"lm_head.weight", model.output.weight});
  return to;
}

// Rows of queries, keys and values [3 d, ..] in the order of GPT-NeoX: head by head.
Linear by_heads(const Linear& qkv, int64_t heads) {
  Linear out = qkv;
  const int64_t d = qkv.weight.cols() / 3, size = d / heads;
  const auto ordered = [&](const Tensor& x) {
    Tensor y(x.shape());
    for (int64_t row = 0; row < x.rows(); ++row) {
      for (int64_t i = 0; i < 3 * d; ++i) {
        const int64_t head = i / (3 * size), part = i / size % 3, k = i % size;
        y.data()[row * 3 * d + i] = x.data()[row * 3 * d + part * d + head * size + k];
      }
    }
    return y;
  };
  out.weight = ordered(qkv.weight);
  out.bias = ordered(qkv.bias);
  return out;
}

TensorList gpt_neox_tensors(const LanguageModel& model) {
  TensorList to = {{"gpt_neox.embed_in.weight", scaled_embedding(model)}};
  for (size_t i = 0; i < model.stack.layers.size(); ++i) {
    const SelfAttentionLayer& layer = model.stack.layers[i];
    const std::string name = fmt::format("gpt_neox.layers.{}", i);
    add_norm(to, name + ".input_layernorm", layer.self_attention_residual.norm);
    add_linear(to, name + ".attention.query_key_value",
               by_heads(layer.self_attention.qkv, model.options.layer.heads));
    add_linear(to, name + ".attention.dense", layer.self_attention.output);
    add_norm(to, name + ".post_attention_layernorm", layer.feed_forward_residual.norm);
    add_linear(to, name + ".mlp.dense_h_to_4h", dense(layer.feed_forward).inner);
    add_linear(to, name + ".mlp.dense_4h_to_h", dense(layer.feed_forward).outer);
  }
  add_norm(to, "gpt_neox.final_layer_norm", *model.stack.norm);
  to.push_back({"embed_out.weight", model.output.weight});
  return to;
}

// The keys that Llama and GPT-NeoX have in common.
void describe_sizes(const LayerOptions& layer, const LanguageModelOptions& options, Json& config) {
  config["hidden_size"] = layer.d_model;
  config["intermediate_size"] = layer.d_ff;
  config["num_hidden_layers"] = options.layers;
  config["num_attention_heads"] = layer.heads;
  config["hidden_act"] = activation_name(layer.feed_forward);
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
  config["activation_function"] = activation_name(layer.feed_forward);
  config["layer_norm_epsilon"] = layer.norm_epsilon;
}

struct Class {
  TensorList (*tensors)(const LanguageModel&);
  void (*describe)(const LayerOptions&, const LanguageModelOptions&, Json&);
};

Class class_of(const LanguageModel& model) {
  switch (calque::shape_of(model.options.layer)) {
    case LanguageModelShape::llama:
      return {llama_tensors, describe_llama};
    case LanguageModelShape::gpt_neox:
      return {gpt_neox_tensors, describe_gpt_neox};
    case LanguageModelShape::gpt2:
      break;
  }
  return {gpt2_tensors, describe_gpt2};
}

std::string config_text(const LanguageModel& model) {
  Json config;
  class_of(model).describe(model.options.layer, model.options, config);
  config["vocab_size"] = model.options.vocabulary;
  config["tie_word_embeddings"] = false;
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

std::string tokenizer_config_text(int64_t context) {
  Json config;
  config["tokenizer_class"] = "PreTrainedTokenizerFast";
  config["bos_token"] = "<s>";
  config["eos_token"] = "</s>";
  config["pad_token"] = "</s>";
  config["unk_token"] = "<unk>";
  config["model_max_length"] = context;
  config["clean_up_tokenization_spaces"] = false;
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
  folder.write_safetensors("model.safetensors", class_of(model).tensors(model), "pt");
  folder.write("config.json", config_text(model));
  folder.write("generation_config.json", generation_text());
  folder.write("tokenizer.json", tokenizer_json(from.tokenizer));
  folder.write("tokenizer_config.json", tokenizer_config_text(model.options.layer.max_positions));
  folder.write("README.md", language_model_readme);
  folder.finish();
}

}  // namespace calque
