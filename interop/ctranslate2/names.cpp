#include "interop/ctranslate2/format.h"
#include "interop/model.h"

namespace calque {
namespace {

void walk_ct2_linear(ParameterWalk& walk, const std::string& scope, const Linear& linear,
                     std::vector<int64_t> columns = {}) {
  walk.tensor(scope + "/weight", linear.weight, {columns, true});
  walk.tensor(scope + "/bias", linear.bias, {std::move(columns), false});
}

void walk_ct2_norm(ParameterWalk& walk, const std::string& scope, const Norm& norm) {
  walk.tensor(scope + "/gamma", norm.gain.stored);
  if (norm.bias) walk.tensor(scope + "/beta", norm.bias);
}

template <class Layer>
void walk_ct2_layer(ParameterWalk& walk, const std::string& scope, const Layer& layer) {
  const std::string attention = scope + "/self_attention", network = scope + "/ffn";
  walk_ct2_linear(walk, attention + "/linear_0", layer.self_attention.qkv);
  walk_ct2_linear(walk, attention + "/linear_1", layer.self_attention.output);
  walk_ct2_norm(walk, attention + "/layer_norm", layer.self_attention_residual.norm);
  const FeedForward& own = dense(layer.feed_forward);
  const int64_t width = own.outer.weight.rows();
  walk_ct2_linear(walk, network + "/linear_0", own.inner, column_range(0, width));
  if (gated(own.activation)) {
    walk_ct2_linear(walk, network + "/linear_0_noact", own.inner, column_range(width, 2 * width));
  }
  walk_ct2_linear(walk, network + "/linear_1", own.outer);
  walk_ct2_norm(walk, network + "/layer_norm", layer.feed_forward_residual.norm);
}

}  // namespace

void walk_ctranslate2(ParameterWalk& walk, const Transformer& model) {
  walk.table("encoder/embeddings_0/weight", model.source_embedding.weight, Side::source);
  for (size_t i = 0; i < model.encoder.layers.size(); ++i) {
    walk_ct2_layer(walk, fmt::format("encoder/layer_{}", i), model.encoder.layers[i]);
  }
  if (model.encoder.norm) walk_ct2_norm(walk, "encoder/layer_norm", *model.encoder.norm);
  walk.table("decoder/embeddings/weight", model.target_embedding.weight, Side::target);
  for (size_t i = 0; i < model.decoder.layers.size(); ++i) {
    const DecoderLayer& layer = model.decoder.layers[i];
    const std::string scope = fmt::format("decoder/layer_{}", i), attention = scope + "/attention";
    walk_ct2_layer(walk, scope, layer);
    walk_ct2_linear(walk, attention + "/linear_0", layer.cross_attention.query);
    walk_ct2_linear(walk, attention + "/linear_1", layer.cross_attention.key_value);
    walk_ct2_linear(walk, attention + "/linear_2", layer.cross_attention.output);
    walk_ct2_norm(walk, attention + "/layer_norm", layer.cross_attention_residual.norm);
  }
  if (model.decoder.norm) walk_ct2_norm(walk, "decoder/layer_norm", *model.decoder.norm);
  walk.table("decoder/projection/weight", model.output.weight, Side::target);
}

int32_t ct2_activation(Activation activation) {
  switch (activation) {
    case Activation::none:
      break;
    case Activation::relu:
      return 0;
    case Activation::gelu_tanh:
    case Activation::geglu_tanh:
      return 1;
    case Activation::silu:
    case Activation::swiglu:
      return 2;
    case Activation::gelu:
    case Activation::geglu:
      return 3;
  }
  fail("CTranslate2 has no network without an activation");
}

}  // namespace calque
