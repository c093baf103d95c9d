#include "nn/layers/attention.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/error.h"

namespace calque {
namespace {

bool attention_biases(const LayerOptions& options) {
  return options.biases == BiasedLayers::all || options.biases == BiasedLayers::attention;
}

Linear output_projection(const Path& at, const LayerOptions& options) {
  const int64_t d = options.query_columns();
  return {at,
          d,
          {options.d_model},
          scaled(xavier_uniform(d, options.d_model), options.residual_initial_scale),
          attention_biases(options),
          options.adapter,
          options.adapter.attention};
}

// For the initial values, the weights of queries, keys and values count as one matrix, as in
// fairseq and PyTorch. The values are smaller than those of three matrices, so the first softmaxes
// are flatter.
Linear input_projection(const Path& at, const LayerOptions& options,
                        const std::vector<int64_t>& widths) {
  const int64_t all = options.query_columns() + 2 * options.key_columns();
  return {at,
          options.d_model,
          widths,
          xavier_uniform(options.d_model, all),
          options.biases != BiasedLayers::none,
          options.adapter,
          options.adapter.attention};
}

std::optional<HeadNorm> head_norm(const Path& at, const LayerOptions& options) {
  if (!options.qk_norm) return std::nullopt;
  return HeadNorm(at, options);
}

AttentionOptions op_options(const LayerOptions& options) {
  return {.heads = options.heads,
          .key_heads = options.kv_heads,
          .scale = options.attention_scale,
          .cap = options.attention_cap};
}

AttentionOptions with_dropout(AttentionOptions options, real dropout) {
  options.dropout = dropout;
  return options;
}

}  // namespace

const AttentionRecord::Entry& AttentionRecord::at(std::string_view name) const {
  const auto found = std::ranges::find(entries, name, &Entry::name);
  require(found != entries.end(), "AttentionRecord: the pass has no attention named {}", name);
  return *found;
}

SelfAttention::SelfAttention(const Path& at, const LayerOptions& layer, Mask mask)
    : qkv(input_projection(at / "qkv", layer,
                           {layer.query_columns(), layer.key_columns(), layer.key_columns()})),
      output(output_projection(at / "output", layer)),
      query_norm(head_norm(at / "query_norm", layer)),
      key_norm(head_norm(at / "key_norm", layer)),
      options(op_options(layer)),
      dropout(layer.attention_dropout),
      name(at.name()) {
  options.causal = mask == Mask::causal;
  options.sparsity = layer.attention;
  if (layer.positions == PositionKind::rotary) {
    const bool window = layer.attention.window > 0;
    frequencies = layer.rotation.at_layer(window).frequencies(layer.head_size());
  }
}

AttentionOptions SelfAttention::attention_options(Mode mode) const {
  return with_dropout(options, dropout_in(mode, dropout));
}

Tensor SelfAttention::project(const Tensor& x, const Segments& segments,
                              std::span<const int32_t> starts) const {
  const int64_t queries = query_columns(), keys = key_columns(), rotated = queries + keys;
  Tensor projected = qkv(x);
  if (query_norm) {
    const auto part = [&](int64_t begin, int64_t end) { return slice_cols(projected, begin, end); };
    projected =
        concat_cols(std::array{(*query_norm)(part(0, queries)), (*key_norm)(part(queries, rotated)),
                               part(rotated, rotated + keys)});
  }
  if (frequencies.empty()) return projected;
  return rotary(projected, segments, 0, rotated, queries / options.heads, frequencies, starts);
}

Tensor SelfAttention::operator()(const Tensor& x, const Segments& segments, Mode mode,
                                 AttentionRecord* record) const {
  const Tensor projected = project(x, segments);
  if (record) {
    const NoGradient off;
    const int64_t queries = query_columns();
    record->entries.push_back(
        {name, attention_weights(slice_cols(projected, 0, queries),
                                 slice_cols(projected, queries, queries + key_columns()), segments,
                                 segments, options)});
  }
  return output(self_attention(projected, segments, attention_options(mode)));
}

CrossAttention::CrossAttention(const Path& at, const LayerOptions& layer)
    : query(input_projection(at / "query", layer, {layer.query_columns()})),
      key_value(
          input_projection(at / "key_value", layer, {layer.key_columns(), layer.key_columns()})),
      output(output_projection(at / "output", layer)),
      query_norm(head_norm(at / "query_norm", layer)),
      key_norm(head_norm(at / "key_norm", layer)),
      options(op_options(layer)),
      dropout(layer.attention_dropout),
      name(at.name()) {}

AttentionOptions CrossAttention::attention_options(Mode mode) const {
  return with_dropout(options, dropout_in(mode, dropout));
}

Tensor CrossAttention::project(const Tensor& x) const {
  return query_norm ? (*query_norm)(query(x)) : query(x);
}

Tensor CrossAttention::project_memory(const Tensor& memory) const {
  const Tensor kv = key_value(memory);
  if (!key_norm) return kv;
  const int64_t d = key_columns();
  return concat_cols(std::array{(*key_norm)(slice_cols(kv, 0, d)), slice_cols(kv, d, 2 * d)});
}

Tensor CrossAttention::operator()(const Tensor& x, const Segments& segments, const Tensor& memory,
                                  const Segments& memory_segments, Mode mode,
                                  AttentionRecord* record) const {
  const Tensor q = project(x);
  const Tensor kv = project_memory(memory);
  if (record) {
    const NoGradient off;
    record->entries.push_back({name, attention_weights(q, slice_cols(kv, 0, key_columns()),
                                                       segments, memory_segments, options)});
  }
  return output(cross_attention(q, kv, segments, memory_segments, attention_options(mode)));
}

}  // namespace calque
