#include "interop/gguf/format.h"
#include "interop/model.h"
#include "interop/parameters/positions.h"

namespace calque {
namespace {

// In a head of n columns, calque rotates the pairs (k, k + n / 2), llama.cpp's Llama the pairs
// (2 k, 2 k + 1).
std::vector<int64_t> adjacent_pairs(int64_t begin, const LayerOptions& options) {
  const int64_t size = options.head_size();
  std::vector<int64_t> columns;
  for (int64_t i = 0; i < options.d_model; ++i) {
    const int64_t head = i / size * size, k = i % size;
    columns.push_back(begin + head + k / 2 + k % 2 * (size / 2));
  }
  return columns;
}

void walk_llama_layer(ParameterWalk& walk, const std::string& name, const SelfAttentionLayer& layer,
                      const LayerOptions& options) {
  const int64_t d = options.d_model, width = options.d_ff;
  const Linear& qkv = layer.self_attention.qkv;
  walk.linear(name + ".attn_q", qkv, adjacent_pairs(0, options));
  walk.linear(name + ".attn_k", qkv, adjacent_pairs(d, options));
  walk.linear(name + ".attn_v", qkv, column_range(2 * d, 3 * d));
  const FeedForward& network = dense(layer.feed_forward);
  walk.linear(name + ".ffn_gate", network.inner, column_range(0, width));
  walk.linear(name + ".ffn_up", network.inner, column_range(width, 2 * width));
}

void walk_gpt_layer(ParameterWalk& walk, const std::string& name, const SelfAttentionLayer& layer) {
  walk.linear(name + ".attn_qkv", layer.self_attention.qkv);
  walk.linear(name + ".ffn_up", dense(layer.feed_forward).inner);
}

}  // namespace

void walk_gguf(ParameterWalk& walk, const LanguageModel& model) {
  const LayerOptions& options = model.options.layer;
  const LanguageModelShape shape = shape_of(options);
  // The engine does not scale embeddings, so the factor becomes part of the table.
  walk.table("token_embd.weight", model.embedding.weight, Side::target, model.embedding.factor);
  if (shape == LanguageModelShape::gpt2) {
    walk.tensor("position_embd.weight",
                position_table(model.positions, options.max_positions, options.d_model));
  }
  for (size_t i = 0; i < model.stack.layers.size(); ++i) {
    const SelfAttentionLayer& layer = model.stack.layers[i];
    const std::string name = fmt::format("blk.{}", i);
    walk.norm(name + ".attn_norm", layer.self_attention_residual.norm);
    if (shape == LanguageModelShape::llama) {
      walk_llama_layer(walk, name, layer, options);
    } else {
      walk_gpt_layer(walk, name, layer);
    }
    walk.linear(name + ".attn_output", layer.self_attention.output);
    walk.norm(name + ".ffn_norm", layer.feed_forward_residual.norm);
    walk.linear(name + ".ffn_down", dense(layer.feed_forward).outer);
  }
  walk.norm("output_norm", *model.stack.norm);
  if (!one_table(model)) walk.table("output.weight", model.output.weight, Side::target);
}

}  // namespace calque
