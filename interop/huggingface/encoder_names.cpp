#include <fmt/format.h>

#include "interop/huggingface/names.h"
#include "interop/model.h"

namespace calque {
namespace {

// The names in which the layers of BERT and of ViT differ.
struct LayerNames {
  std::string_view layers, projections, attention_norm, feed_forward_norm;
};

void walk_layers(ParameterWalk& walk, const SelfAttentionStack& stack, const LayerNames& names) {
  for (size_t i = 0; i < stack.layers.size(); ++i) {
    const SelfAttentionLayer& layer = stack.layers[i];
    const std::string at = fmt::format("{}.{}.", names.layers, i);
    const std::string projections = fmt::format("{}{}.", at, names.projections);
    const Linear& qkv = layer.self_attention.qkv;
    const int64_t d = qkv.weight.cols() / 3;
    walk.linear(projections + "query", qkv, column_range(0, d));
    walk.linear(projections + "key", qkv, column_range(d, 2 * d));
    walk.linear(projections + "value", qkv, column_range(2 * d, 3 * d));
    walk.linear(at + "attention.output.dense", layer.self_attention.output);
    walk.norm(at + std::string(names.attention_norm), layer.self_attention_residual.norm);
    walk.linear(at + "intermediate.dense", dense(layer.feed_forward).inner);
    walk.linear(at + "output.dense", dense(layer.feed_forward).outer);
    walk.norm(at + std::string(names.feed_forward_norm), layer.feed_forward_residual.norm);
  }
}

// BERT does not scale embeddings, so the factor becomes part of the table.
void walk_encoder(ParameterWalk& walk, const Encoder& encoder) {
  walk.table("bert.embeddings.word_embeddings.weight", encoder.embedding.weight, Side::source,
             encoder.embedding.factor);
  walk.norm("bert.embeddings.LayerNorm", *encoder.body.embedding_norm);
  walk_layers(
      walk, encoder.body.stack,
      {"bert.encoder.layer", "attention.self", "attention.output.LayerNorm", "output.LayerNorm"});
}

}  // namespace

void walk_huggingface(ParameterWalk& walk, const MaskedLm& model) {
  walk_encoder(walk, model.encoder);
  const MaskedHead& head = model.head;
  if (head.dense) {
    walk.linear("cls.predictions.transform.dense", *head.dense);
    walk.norm("cls.predictions.transform.LayerNorm", *head.norm);
  }
  walk.table("cls.predictions.decoder.weight", head.output.weight, Side::source);
  walk.table("cls.predictions.decoder.bias", head.output.bias, Side::source);
  walk.table("cls.predictions.bias", head.output.bias, Side::source);
}

void walk_huggingface(ParameterWalk& walk, const Classifier& model) {
  walk_encoder(walk, model.encoder);
  if (model.head.dense) walk.linear("bert.pooler.dense", *model.head.dense);
  walk.tensor("classifier.weight", model.head.weight);
  walk.tensor("classifier.bias", model.head.bias);
}

void walk_huggingface(ParameterWalk& walk, const VisionTransformer& model) {
  walk.tensor("vit.embeddings.patch_embeddings.projection.bias", model.patches.bias);
  walk_layers(walk, model.body.stack,
              {"vit.encoder.layer", "attention.attention", "layernorm_before", "layernorm_after"});
  walk.norm("vit.layernorm", *model.body.stack.norm);
  walk.tensor("classifier.weight", model.head.weight);
  walk.tensor("classifier.bias", model.head.bias);
}

}  // namespace calque
