#include "interop/onnx/translator.h"

#include <fmt/format.h>

#include "data/tokenizers/vocabulary.h"
#include "interop/model.h"
#include "interop/onnx/layers.h"
#include "interop/parameters/positions.h"

namespace calque {
namespace {

const OnnxSide batch = "batch_size", source_length = "encoder_sequence_length",
               new_length = "decoder_sequence_length", past = "past_decoder_sequence_length",
               all = "past_decoder_sequence_length + decoder_sequence_length";

// Adds the positions [begin, end) to embedded tokens.
OnnxValue add_rows(OnnxGraph& graph, OnnxLayers& layers, const OnnxValue& x,
                   const Tensor& positions, const OnnxValue& begin, const OnnxValue& end) {
  return positions ? graph.node("Add", {x, layers.rows(positions, begin, end)}) : x;
}

Tensor table_of(const Positions& positions, int64_t rows, int64_t d_model) {
  if (positions.kind == PositionKind::rotary || positions.kind == PositionKind::none) return {};
  return position_table(positions, rows, d_model);
}

class DecoderGraph {
 public:
  DecoderGraph(const Transformer& model, int64_t positions)
      : model_(model),
        options_(with_positions(model.options.layer, positions)),
        layers_(graph_, options_),
        table_(table_of(model.target_positions, positions, options_.d_model)) {}

  std::string bytes() {
    const OnnxValue ids = graph_.input("input_ids", OnnxType::int64, {batch, new_length});
    memory_ = graph_.input("encoder_hidden_states", OnnxType::float32,
                           {batch, source_length, options_.d_model});
    memory_hidden_ = layers_.padding(
        graph_.input("encoder_attention_mask", OnnxType::int64, {batch, source_length}));
    for (int64_t i = 0; i < model_.options.decoder_layers; ++i) {
      for (const char* what : {"key", "value"}) {
        graph_.input(past_name(i, what), OnnxType::float32, cache_shape(past));
      }
    }
    begin_ = layers_.size(past_name(0, "key"), 2);
    end_ = graph_.node("Add", {begin_, layers_.size(ids, 1)});
    hidden_ = layers_.causal(begin_, end_);
    OnnxValue x = add_rows(graph_, layers_, embedded(ids), table_, begin_, end_);
    for (int64_t i = 0; i < model_.options.decoder_layers; ++i) x = layer(x, i);
    if (model_.decoder.norm) x = layers_.norm(x, *model_.decoder.norm);
    graph_.output("logits", logits(x), {batch, new_length, model_.options.target_vocabulary});
    return graph_.bytes();
  }

  static LayerOptions with_positions(LayerOptions options, int64_t positions) {
    options.max_positions = positions;
    return options;
  }

 private:
  static std::string past_name(int64_t layer, const char* what) {
    return fmt::format("past_key_values.{}.decoder.{}", layer, what);
  }
  std::vector<OnnxSide> cache_shape(const OnnxSide& length) const {
    return {batch, options_.heads, length, options_.d_model / options_.heads};
  }

  // If the decoder starts with zeros, the embedding of <s>, the first token, becomes zeros.
  OnnxValue embedded(const OnnxValue& ids) {
    const OnnxValue x = layers_.embedding(ids, model_.target_embedding);
    if (model_.options.decoder_start == DecoderStart::bos) return x;
    const OnnxValue first = graph_.node("Equal", {ids, graph_.integer(begin_id)});
    const OnnxValue kept =
        graph_.node("Cast", {graph_.node("Not", {first})}, {{"to", int64_t(OnnxType::float32)}});
    return graph_.node("Mul", {x, graph_.node("Unsqueeze", {kept, graph_.integers({-1})})});
  }

  // Appends the new keys or values to the cache of a layer.
  OnnxValue append_to_cache(const OnnxValue& added, int64_t layer, const char* what) {
    const OnnxValue x =
        graph_.node("Concat", {past_name(layer, what), added}, {{"axis", int64_t{2}}});
    graph_.output(fmt::format("present.{}.decoder.{}", layer, what), x, cache_shape(all));
    return x;
  }

  OnnxValue self_attention(const OnnxValue& x, const SelfAttention& attention, int64_t number) {
    const auto attended = layers_.self_attention(x, attention, begin_, end_, hidden_,
                                                 [&](const OnnxValue& added, const char* what) {
                                                   return append_to_cache(added, number, what);
                                                 });
    graph_.output(fmt::format("decoder_attentions.{}", number), attended.weights,
                  {batch, options_.heads, new_length, all});
    return layers_.linear(attended.context, attention.output);
  }

  OnnxValue cross_attention(const OnnxValue& x, const CrossAttention& attention, int64_t number) {
    const int64_t d = options_.d_model;
    const auto parts = graph_.split(layers_.linear(memory_, attention.key_value), {d, d});
    const OnnxValue values = layers_.heads(parts[1]), keys = layers_.heads(parts[0]);
    const auto attended = layers_.attention(layers_.heads(layers_.linear(x, attention.query)), keys,
                                            values, memory_hidden_);
    graph_.output(fmt::format("cross_attentions.{}", number), attended.weights,
                  {batch, options_.heads, new_length, source_length});
    return layers_.linear(attended.context, attention.output);
  }

  OnnxValue layer(const OnnxValue& x, int64_t number) {
    const DecoderLayer& layer = model_.decoder.layers[static_cast<size_t>(number)];
    const OnnxValue self = layers_.residual(
        x, layer.self_attention_residual,
        [&](const OnnxValue& h) { return self_attention(h, layer.self_attention, number); });
    const OnnxValue cross = layers_.residual(
        self, layer.cross_attention_residual,
        [&](const OnnxValue& h) { return cross_attention(h, layer.cross_attention, number); });
    return layers_.residual(cross, layer.feed_forward_residual, [&](const OnnxValue& h) {
      return layers_.feed_forward(h, dense(layer.feed_forward));
    });
  }

  OnnxValue logits(const OnnxValue& x) {
    const OnnxValue weight = graph_.node("Transpose", {graph_.constant(model_.output.weight)},
                                         {{"perm", std::vector<int64_t>{1, 0}}});
    const OnnxValue product = graph_.node("MatMul", {x, weight});
    if (!model_.output.bias) return product;
    return graph_.node("Add", {product, graph_.constant(model_.output.bias)});
  }

  const Transformer& model_;
  const LayerOptions options_;
  OnnxGraph graph_{"decoder"};
  OnnxLayers layers_;
  const Tensor table_;
  OnnxValue memory_, memory_hidden_;  // the encoder's output and its padding mask
  OnnxValue begin_, end_;             // the positions of the new tokens
  OnnxValue hidden_;                  // the causal mask
};

}  // namespace

std::string onnx_encoder(const Transformer& model, int64_t positions) {
  const LayerOptions options = DecoderGraph::with_positions(model.options.layer, positions);
  const int64_t d = options.d_model;
  OnnxGraph graph("encoder");
  OnnxLayers layers(graph, options);
  const OnnxValue ids = graph.input("input_ids", OnnxType::int64, {batch, source_length});
  const OnnxValue hidden =
      layers.padding(graph.input("attention_mask", OnnxType::int64, {batch, source_length}));
  const OnnxValue begin = graph.integers({0}), end = layers.size(ids, 1);
  OnnxValue x = add_rows(graph, layers, layers.embedding(ids, model.source_embedding),
                         table_of(model.source_positions, positions, d), begin, end);
  for (size_t i = 0; i < model.encoder.layers.size(); ++i) {
    const SelfAttentionLayer& layer = model.encoder.layers[i];
    const auto self_attention = [&](const OnnxValue& h) {
      const auto attended = layers.self_attention(h, layer.self_attention, begin, end, hidden);
      graph.output(fmt::format("encoder_attentions.{}", i), attended.weights,
                   {batch, options.heads, source_length, source_length});
      return layers.linear(attended.context, layer.self_attention.output);
    };
    x = layers.residual(x, layer.self_attention_residual, self_attention);
    x = layers.residual(x, layer.feed_forward_residual, [&](const OnnxValue& h) {
      return layers.feed_forward(h, dense(layer.feed_forward));
    });
  }
  if (model.encoder.norm) x = layers.norm(x, *model.encoder.norm);
  graph.output("last_hidden_state", x, {batch, source_length, d});
  return graph.bytes();
}

std::string onnx_decoder(const Transformer& model, int64_t positions) {
  return DecoderGraph(model, positions).bytes();
}

}  // namespace calque
