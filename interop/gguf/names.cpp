#include "interop/gguf/format.h"
#include "interop/model.h"
#include "interop/parameters/positions.h"

namespace calque {
namespace {

// In a head of n columns, calque rotates the pairs (k, k + n / 2), as llama.cpp does for Qwen and
// Gemma; for Llama it rotates the pairs (2 k, 2 k + 1).
std::vector<int64_t> rotated_columns(int64_t begin, int64_t end, int64_t size, bool adjacent) {
  std::vector<int64_t> columns = column_range(begin, end);
  for (int64_t i = 0; i < end - begin && adjacent; ++i) {
    const int64_t head = i / size * size, k = i % size;
    columns[static_cast<size_t>(i)] = begin + head + k / 2 + k % 2 * (size / 2);
  }
  return columns;
}

void walk_llama_layer(ParameterWalk& walk, const std::string& name, const SelfAttentionLayer& layer,
                      const LayerOptions& options) {
  const SelfAttention& attention = layer.self_attention;
  const int64_t q = attention.query_columns(), k = attention.key_columns();
  const int64_t size = options.head_size(), width = options.d_ff;
  const bool adjacent = shape_of(options) <= LanguageModelShape::mistral;
  walk.linear(name + ".attn_q", attention.qkv, rotated_columns(0, q, size, adjacent));
  walk.linear(name + ".attn_k", attention.qkv, rotated_columns(q, q + k, size, adjacent));
  walk.linear(name + ".attn_v", attention.qkv, column_range(q + k, q + 2 * k));
  const auto gain = [&](const char* end, const Gain& own) {
    walk.tensor(name + end, gain_of(own, false));
  };
  gain(".attn_norm.weight", layer.self_attention_residual.norm.gain);
  gain(".ffn_norm.weight", layer.feed_forward_residual.norm.gain);
  if (attention.query_norm) {
    gain(".attn_q_norm.weight", attention.query_norm->gain);
    gain(".attn_k_norm.weight", attention.key_norm->gain);
  }
  if (layer.self_attention_residual.after) {
    gain(".post_attention_norm.weight", layer.self_attention_residual.after->gain);
    gain(".post_ffw_norm.weight", layer.feed_forward_residual.after->gain);
  }
  const FeedForward& network = dense(layer.feed_forward);
  walk.linear(name + ".ffn_gate", network.inner, column_range(0, width));
  walk.linear(name + ".ffn_up", network.inner, column_range(width, 2 * width));
}

void walk_gpt_layer(ParameterWalk& walk, const std::string& name, const SelfAttentionLayer& layer) {
  walk.norm(name + ".attn_norm", layer.self_attention_residual.norm);
  walk.norm(name + ".ffn_norm", layer.feed_forward_residual.norm);
  walk.linear(name + ".attn_qkv", layer.self_attention.qkv);
  walk.linear(name + ".ffn_up", dense(layer.feed_forward).inner);
}

}  // namespace

std::vector<double> rotation_factors(const Rotation& rotation, int64_t head_size) {
  Rotation unscaled = rotation;
  unscaled.scaling = {};
  std::vector<double> factors = unscaled.frequencies(head_size);
  const std::vector<double> scaled = rotation.frequencies(head_size);
  for (size_t k = 0; k < factors.size(); ++k) factors[k] /= scaled[k];
  return factors;
}

void walk_gguf(ParameterWalk& walk, const LanguageModel& model) {
  const LayerOptions& options = model.options.layer;
  const LanguageModelShape shape = shape_of(options);
  walk.table("token_embd.weight", model.embedding.weight, Side::target, table_factor(model));
  if (shape == LanguageModelShape::gpt2) {
    walk.tensor("position_embd.weight",
                position_table(model.positions, options.max_positions, options.d_model));
  }
  for (size_t i = 0; i < model.stack.layers.size(); ++i) {
    const SelfAttentionLayer& layer = model.stack.layers[i];
    const std::string name = fmt::format("blk.{}", i);
    if (is_llama_like(shape)) {
      walk_llama_layer(walk, name, layer, options);
    } else {
      walk_gpt_layer(walk, name, layer);
    }
    walk.linear(name + ".attn_output", layer.self_attention.output);
    walk.linear(name + ".ffn_down", dense(layer.feed_forward).outer);
  }
  if (is_llama_like(shape)) {
    walk.tensor("output_norm.weight", gain_of(model.stack.norm->gain, false));
  } else {
    walk.norm("output_norm", *model.stack.norm);
  }
  if (!one_table(model)) walk.table("output.weight", model.output.weight, Side::target);
}

}  // namespace calque
