#include "decode/cached_decoder.h"

#include "core/ops.h"
#include "decode/cached_attention.h"
#include "decode/right_sides.h"

namespace calque {

std::vector<Matrix> CachedDecoder::right_sides(const Transformer& model) {
  std::vector<Matrix> sides;
  for (const DecoderLayer& layer : model.decoder.layers) {
    for (const Linear* linear :
         {&layer.self_attention.qkv, &layer.self_attention.output, &layer.cross_attention.query,
          &layer.cross_attention.output, &layer.feed_forward.inner, &layer.feed_forward.outer}) {
      sides.push_back(right_side(*linear));
    }
  }
  sides.push_back(right_side(model.output));
  return sides;
}

CachedDecoder::CachedDecoder(const Transformer& model, std::span<const int32_t> sources,
                             const Segments& segments)
    : model_(model), segments_(segments), cache_(model.decoder.layers.size()) {
  const NoGradient nothing_recorded;
  const Tensor memory = model.encode(sources, segments, Mode::evaluate);
  for (const DecoderLayer& layer : model.decoder.layers) {
    memory_.push_back(layer.cross_attention.project_memory(memory));
  }
}

Tensor CachedDecoder::look_across(size_t number, const Tensor& h, const DecodingStep& step) const {
  const CrossAttention& attention = model_.decoder.layers[number].cross_attention;
  const int64_t d = h.cols();
  CachedRows cached{.rows = {}, .starts = {0}, .value_offset = d};
  for (const int32_t item : step.items) {
    for (int32_t token = segments_.begin(item); token < segments_.end(item); ++token) {
      cached.rows.push_back(memory_[number].data() + token * (2 * d));
    }
    cached.starts.push_back(std::ssize(cached.rows));
  }
  const Tensor q = attention.query(h);
  return attention.output(cached_attention(q.data(), d, d, attention.heads, cached));
}

Tensor CachedDecoder::step(const DecodingStep& step) {
  const NoGradient nothing_recorded;
  cache_.follow(step);
  Tensor x =
      model_.target_positions(model_.target_embedding(step.ids), cache_.rows(), cache_.positions());
  for (size_t i = 0; i < memory_.size(); ++i) {
    const DecoderLayer& layer = model_.decoder.layers[i];
    x = layer.self_attention_residual(x, Mode::evaluate, [&](const Tensor& h) {
      return cache_.look_back(i, layer.self_attention, h);
    });
    x = layer.cross_attention_residual(x, Mode::evaluate,
                                       [&](const Tensor& h) { return look_across(i, h, step); });
    x = layer.feed_forward_residual(
        x, Mode::evaluate, [&](const Tensor& h) { return layer.feed_forward(h, Mode::evaluate); });
  }
  return model_.logits(model_.decoder.norm ? (*model_.decoder.norm)(x) : x);
}

}  // namespace calque
