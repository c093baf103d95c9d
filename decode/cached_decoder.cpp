#include "decode/cached_decoder.h"

#include "core/ops.h"
#include "decode/cached_attention.h"

namespace calque {

std::vector<Matrix> CachedDecoder::right_sides(const Transformer& model) {
  std::vector<Matrix> sides;
  const auto add = [&](const Linear& linear) {
    sides.emplace_back(linear.weight.data(), linear.weight.rows(), linear.weight.cols());
  };
  for (const DecoderLayer& layer : model.decoder.layers) {
    add(layer.self_attention.qkv), add(layer.self_attention.output);
    add(layer.cross_attention.query), add(layer.cross_attention.output);
    add(layer.feed_forward.inner), add(layer.feed_forward.outer);
  }
  const Tensor& output = model.output.weight;
  sides.push_back(transposed({output.data(), output.rows(), output.cols()}));
  return sides;
}

CachedDecoder::CachedDecoder(const Transformer& model, std::span<const int32_t> sources,
                             const Segments& segments)
    : model_(model), segments_(segments) {
  const NoGradient nothing_recorded;
  const Tensor memory = model.encode(sources, segments, Mode::evaluate);
  for (const DecoderLayer& layer : model.decoder.layers) {
    layers_.push_back({layer.cross_attention.project_memory(memory), {}});
  }
}

// Each row's history is its parent's, and itself.
void CachedDecoder::follow(const DecodingStep& step) {
  const size_t rows = step.ids.size(), before = static_cast<size_t>(steps_);
  std::vector<int32_t> history(rows * (before + 1));
  for (size_t r = 0; r < rows; ++r) {
    int32_t* own = history.data() + r * (before + 1);
    if (before > 0) {
      std::copy_n(history_.data() + static_cast<size_t>(step.parents[r]) * before, before, own);
    }
    own[before] = static_cast<int32_t>(r);
  }
  history_ = std::move(history);
  ++steps_;
}

// Queries are needed once, keys and values at every later step: these are kept without those, close
// together, as most of the time of attention goes into fetching them from memory.
Tensor CachedDecoder::look_back(size_t number, const Tensor& h, int64_t rows) {
  const SelfAttention& attention = model_.decoder.layers[number].self_attention;
  const int64_t d = h.cols();
  const std::vector<int32_t> ones(static_cast<size_t>(rows), 1);
  const std::vector<int32_t> starts(static_cast<size_t>(rows), static_cast<int32_t>(steps_ - 1));
  const Tensor qkv = attention.project(h, Segments::of_lengths(ones), starts);
  std::vector<Tensor>& written = layers_[number].written;
  written.push_back(slice_cols(qkv, d, 3 * d));
  CachedRows cached{.rows = {}, .starts = {0}, .value_offset = d};
  cached.rows.reserve(static_cast<size_t>(rows * steps_));
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t t = 0; t < steps_; ++t) {
      cached.rows.push_back(written[t].data() + history_[r * steps_ + t] * (2 * d));
    }
    cached.starts.push_back((r + 1) * steps_);
  }
  return attention.output(cached_attention(qkv.data(), 3 * d, d, attention.heads, cached));
}

Tensor CachedDecoder::look_across(size_t number, const Tensor& h, const DecodingStep& step) const {
  const CrossAttention& attention = model_.decoder.layers[number].cross_attention;
  const int64_t d = h.cols();
  const Tensor& memory = layers_[number].memory;
  CachedRows cached{.rows = {}, .starts = {0}, .value_offset = d};
  for (const int32_t item : step.items) {
    for (int32_t token = segments_.begin(item); token < segments_.end(item); ++token) {
      cached.rows.push_back(memory.data() + token * (2 * d));
    }
    cached.starts.push_back(static_cast<int64_t>(cached.rows.size()));
  }
  const Tensor q = attention.query(h);
  return attention.output(cached_attention(q.data(), d, d, attention.heads, cached));
}

Tensor CachedDecoder::step(const DecodingStep& step) {
  const NoGradient nothing_recorded;
  follow(step);
  const auto rows = static_cast<int64_t>(step.ids.size());
  const std::vector<int32_t> ones(step.ids.size(), 1);
  const std::vector<int32_t> starts(step.ids.size(), static_cast<int32_t>(steps_ - 1));
  Tensor x = model_.target_positions(model_.target_embedding(step.ids), Segments::of_lengths(ones),
                                     starts);
  for (size_t i = 0; i < layers_.size(); ++i) {
    const DecoderLayer& layer = model_.decoder.layers[i];
    x = layer.self_attention_residual(x, Mode::evaluate,
                                      [&](const Tensor& h) { return look_back(i, h, rows); });
    x = layer.cross_attention_residual(x, Mode::evaluate,
                                       [&](const Tensor& h) { return look_across(i, h, step); });
    x = layer.feed_forward_residual(
        x, Mode::evaluate, [&](const Tensor& h) { return layer.feed_forward(h, Mode::evaluate); });
  }
  return model_.logits(model_.decoder.norm ? (*model_.decoder.norm)(x) : x);
}

}  // namespace calque
