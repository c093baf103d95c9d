#include "nn/layers/attention.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/error.h"

namespace calque {
namespace {

Linear output_projection(const Path& at, const LayerOptions& options) {
  const int64_t d = options.d_model;
  return {at, d, d, scaled(xavier_uniform(d, d), options.residual_initial_scale)};
}

// For the initial values, the weights of queries, keys and values count as one matrix, as in
// fairseq and PyTorch. The values are smaller than those of three matrices, so the first softmaxes
// are flatter.
Initial projection_initial(int64_t d_model) { return xavier_uniform(d_model, 3 * d_model); }

std::optional<HeadNorm> head_norm(const Path& at, const LayerOptions& options) {
  if (!options.qk_norm) return std::nullopt;
  return HeadNorm(at, options);
}

}  // namespace

const AttentionRecord::Entry& AttentionRecord::at(std::string_view name) const {
  const auto found = std::ranges::find(entries, name, &Entry::name);
  require(found != entries.end(), "AttentionRecord: the pass has no attention named {}", name);
  return *found;
}

SelfAttention::SelfAttention(const Path& at, const LayerOptions& options, Mask mask_)
    : qkv(at / "qkv", options.d_model, 3 * options.d_model, projection_initial(options.d_model)),
      output(output_projection(at / "output", options)),
      query_norm(head_norm(at / "query_norm", options)),
      key_norm(head_norm(at / "key_norm", options)),
      heads(options.heads),
      mask(mask_),
      sparsity(options.attention),
      rotary(options.positions == PositionKind::rotary),
      dropout(options.attention_dropout),
      name(at.name()) {}

AttentionOptions SelfAttention::attention_options(Mode mode) const {
  return {.heads = heads,
          .causal = mask == Mask::causal,
          .dropout = dropout_in(mode, dropout),
          .sparsity = sparsity};
}

Tensor SelfAttention::project(const Tensor& x, const Segments& segments,
                              std::span<const int32_t> starts) const {
  const int64_t d_model = x.cols();
  Tensor projected = qkv(x);
  if (query_norm) {
    const auto part = [&](int64_t i) {
      return slice_cols(projected, i * d_model, (i + 1) * d_model);
    };
    projected = concat_cols(std::array{(*query_norm)(part(0)), (*key_norm)(part(1)), part(2)});
  }
  if (!rotary) return projected;
  return calque::rotary(projected, segments, 0, 2 * d_model, d_model / heads, 10000, starts);
}

Tensor SelfAttention::operator()(const Tensor& x, const Segments& segments, Mode mode,
                                 AttentionRecord* record) const {
  const Tensor projected = project(x, segments);
  if (record) {
    const NoGradient off;
    const int64_t d = x.cols();
    record->entries.push_back(
        {name, attention_weights(slice_cols(projected, 0, d), slice_cols(projected, d, 2 * d),
                                 segments, segments, attention_options(Mode::evaluate))});
  }
  return output(self_attention(projected, segments, attention_options(mode)));
}

CrossAttention::CrossAttention(const Path& at, const LayerOptions& options)
    : query(at / "query", options.d_model, options.d_model, projection_initial(options.d_model)),
      key_value(at / "key_value", options.d_model, 2 * options.d_model,
                projection_initial(options.d_model)),
      output(output_projection(at / "output", options)),
      query_norm(head_norm(at / "query_norm", options)),
      key_norm(head_norm(at / "key_norm", options)),
      heads(options.heads),
      dropout(options.attention_dropout),
      name(at.name()) {}

AttentionOptions CrossAttention::attention_options(Mode mode) const {
  return {.heads = heads, .causal = false, .dropout = dropout_in(mode, dropout)};
}

Tensor CrossAttention::project(const Tensor& x) const {
  return query_norm ? (*query_norm)(query(x)) : query(x);
}

Tensor CrossAttention::project_memory(const Tensor& memory) const {
  const Tensor kv = key_value(memory);
  if (!key_norm) return kv;
  const int64_t d = memory.cols();
  return concat_cols(std::array{(*key_norm)(slice_cols(kv, 0, d)), slice_cols(kv, d, 2 * d)});
}

Tensor CrossAttention::operator()(const Tensor& x, const Segments& segments, const Tensor& memory,
                                  const Segments& memory_segments, Mode mode,
                                  AttentionRecord* record) const {
  const Tensor q = project(x);
  const Tensor kv = project_memory(memory);
  if (record) {
    const NoGradient off;
    record->entries.push_back(
        {name, attention_weights(q, slice_cols(kv, 0, x.cols()), segments, memory_segments,
                                 attention_options(Mode::evaluate))});
  }
  return output(cross_attention(q, kv, segments, memory_segments, attention_options(mode)));
}

}  // namespace calque
