#include "interop/huggingface/names.h"

#include "interop/model.h"

namespace calque {
namespace {

void walk_attention(ParameterWalk& walk, const std::string& name, const SelfAttention& attention) {
  const int64_t d = attention.query_columns(), kd = attention.key_columns();
  walk.linear(name + ".q_proj", attention.qkv, column_range(0, d));
  walk.linear(name + ".k_proj", attention.qkv, column_range(d, d + kd));
  walk.linear(name + ".v_proj", attention.qkv, column_range(d + kd, d + 2 * kd));
}

void walk_attention(ParameterWalk& walk, const std::string& name, const CrossAttention& attention) {
  const int64_t d = attention.output.weight.cols();
  walk.linear(name + ".q_proj", attention.query);
  walk.linear(name + ".k_proj", attention.key_value, column_range(0, d));
  walk.linear(name + ".v_proj", attention.key_value, column_range(d, 2 * d));
  walk.linear(name + ".out_proj", attention.output);
}

template <class Layer>
void walk_translator_layer(ParameterWalk& walk, const std::string& name, const Layer& layer) {
  walk_attention(walk, name + ".self_attn", layer.self_attention);
  walk.linear(name + ".self_attn.out_proj", layer.self_attention.output);
  walk.norm(name + ".self_attn_layer_norm", layer.self_attention_residual.norm);
  const FeedForward& network = dense(layer.feed_forward);
  walk.linear(name + ".fc1", network.inner);
  walk.linear(name + ".fc2", network.outer);
  walk.norm(name + ".final_layer_norm", layer.feed_forward_residual.norm);
}

void walk_embeddings(ParameterWalk& walk, const Transformer& model) {
  if (model.options.tying == Tying::all) {
    return walk.table("model.shared.weight", model.source_embedding.weight, Side::target);
  }
  walk.table("model.encoder.embed_tokens.weight", model.source_embedding.weight, Side::source);
  walk.table("model.decoder.embed_tokens.weight", model.target_embedding.weight, Side::target);
}

void walk_embedding(ParameterWalk& walk, const std::string& name, const LanguageModel& model) {
  walk.table(name, model.embedding.weight, Side::target, table_factor(model));
}

void walk_output(ParameterWalk& walk, const std::string& name, const LanguageModel& model) {
  if (!one_table(model)) walk.table(name, model.output.weight, Side::target);
}

// The norms and the attention of a layer of Llama and its relatives. Gemma names the norm before
// the feed-forward network after it, because Llama calls that norm post_attention_layernorm.
void walk_llama_norms(ParameterWalk& walk, const std::string& name,
                      const SelfAttentionLayer& layer) {
  const Residual &attention = layer.self_attention_residual, &network = layer.feed_forward_residual;
  const bool gemma = attention.after.has_value();
  const auto gain = [&](const char* end, const Gain& own) {
    walk.tensor(name + end, gain_of(own, gemma));
  };
  gain(".input_layernorm.weight", attention.norm.gain);
  if (gemma) {
    gain(".post_attention_layernorm.weight", attention.after->gain);
    gain(".pre_feedforward_layernorm.weight", network.norm.gain);
    gain(".post_feedforward_layernorm.weight", network.after->gain);
  } else {
    gain(".post_attention_layernorm.weight", network.norm.gain);
  }
  if (layer.self_attention.query_norm) {
    gain(".self_attn.q_norm.weight", layer.self_attention.query_norm->gain);
    gain(".self_attn.k_norm.weight", layer.self_attention.key_norm->gain);
  }
}

void walk_llama(ParameterWalk& walk, const LanguageModel& model) {
  const int64_t width = model.options.layer.d_ff;
  walk_embedding(walk, "model.embed_tokens.weight", model);
  for (size_t i = 0; i < model.stack.layers.size(); ++i) {
    const SelfAttentionLayer& layer = model.stack.layers[i];
    const std::string name = fmt::format("model.layers.{}", i);
    walk_llama_norms(walk, name, layer);
    walk_attention(walk, name + ".self_attn", layer.self_attention);
    walk.linear(name + ".self_attn.o_proj", layer.self_attention.output);
    const FeedForward& network = dense(layer.feed_forward);
    walk.linear(name + ".mlp.gate_proj", network.inner, column_range(0, width));
    walk.linear(name + ".mlp.up_proj", network.inner, column_range(width, 2 * width));
    walk.linear(name + ".mlp.down_proj", network.outer);
  }
  const bool gemma = shape_of(model.options.layer) == LanguageModelShape::gemma3;
  walk.tensor("model.norm.weight", gain_of(model.stack.norm->gain, gemma));
  walk_output(walk, "lm_head.weight", model);
}

// GPT-2 stores linear layers as calque does, [in, out].
void walk_convolution(ParameterWalk& walk, const std::string& name, const Linear& linear) {
  walk.tensor(name + ".weight", linear.weight);
  walk.tensor(name + ".bias", linear.bias);
}

void walk_gpt2(ParameterWalk& walk, const LanguageModel& model) {
  walk_embedding(walk, "transformer.wte.weight", model);
  for (size_t i = 0; i < model.stack.layers.size(); ++i) {
    const SelfAttentionLayer& layer = model.stack.layers[i];
    const std::string name = fmt::format("transformer.h.{}", i);
    walk.norm(name + ".ln_1", layer.self_attention_residual.norm);
    walk_convolution(walk, name + ".attn.c_attn", layer.self_attention.qkv);
    walk_convolution(walk, name + ".attn.c_proj", layer.self_attention.output);
    walk.norm(name + ".ln_2", layer.feed_forward_residual.norm);
    walk_convolution(walk, name + ".mlp.c_fc", dense(layer.feed_forward).inner);
    walk_convolution(walk, name + ".mlp.c_proj", dense(layer.feed_forward).outer);
  }
  walk.norm("transformer.ln_f", *model.stack.norm);
  walk_output(walk, "lm_head.weight", model);
}

// The columns of queries, keys and values in the order of GPT-NeoX: head by head.
std::vector<int64_t> columns_by_heads(int64_t d, int64_t heads) {
  const int64_t size = d / heads;
  std::vector<int64_t> columns;
  for (int64_t head = 0; head < heads; ++head) {
    for (int64_t part = 0; part < 3; ++part) {
      for (int64_t k = 0; k < size; ++k) columns.push_back(part * d + head * size + k);
    }
  }
  return columns;
}

void walk_gpt_neox(ParameterWalk& walk, const LanguageModel& model) {
  const LayerOptions& options = model.options.layer;
  walk_embedding(walk, "gpt_neox.embed_in.weight", model);
  for (size_t i = 0; i < model.stack.layers.size(); ++i) {
    const SelfAttentionLayer& layer = model.stack.layers[i];
    const std::string name = fmt::format("gpt_neox.layers.{}", i);
    walk.norm(name + ".input_layernorm", layer.self_attention_residual.norm);
    walk.linear(name + ".attention.query_key_value", layer.self_attention.qkv,
                columns_by_heads(options.d_model, options.heads));
    walk.linear(name + ".attention.dense", layer.self_attention.output);
    walk.norm(name + ".post_attention_layernorm", layer.feed_forward_residual.norm);
    walk.linear(name + ".mlp.dense_h_to_4h", dense(layer.feed_forward).inner);
    walk.linear(name + ".mlp.dense_4h_to_h", dense(layer.feed_forward).outer);
  }
  walk.norm("gpt_neox.final_layer_norm", *model.stack.norm);
  walk_output(walk, "embed_out.weight", model);
}

}  // namespace

void walk_huggingface(ParameterWalk& walk, const Transformer& model) {
  walk_embeddings(walk, model);
  for (size_t i = 0; i < model.encoder.layers.size(); ++i) {
    walk_translator_layer(walk, fmt::format("model.encoder.layers.{}", i), model.encoder.layers[i]);
  }
  for (size_t i = 0; i < model.decoder.layers.size(); ++i) {
    const DecoderLayer& layer = model.decoder.layers[i];
    const std::string name = fmt::format("model.decoder.layers.{}", i);
    walk_translator_layer(walk, name, layer);
    walk_attention(walk, name + ".encoder_attn", layer.cross_attention);
    walk.norm(name + ".encoder_attn_layer_norm", layer.cross_attention_residual.norm);
  }
  if (model.encoder.norm) walk.norm("model.encoder.layer_norm", *model.encoder.norm);
  if (model.decoder.norm) walk.norm("model.decoder.layer_norm", *model.decoder.norm);
  if (model.options.tying == Tying::none) {
    walk.table("lm_head.weight", model.output.weight, Side::target);
  }
}

void walk_huggingface(ParameterWalk& walk, const LanguageModel& model) {
  const LanguageModelShape shape = shape_of(model.options.layer);
  if (is_llama_like(shape)) return walk_llama(walk, model);
  return shape == LanguageModelShape::gpt_neox ? walk_gpt_neox(walk, model)
                                               : walk_gpt2(walk, model);
}

}  // namespace calque
