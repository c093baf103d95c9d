// Transformers as search and sampling decode with them (declared in decode/models/parts.h). Each
// step runs the layers of the decoder over one token of every unfinished hypothesis; keys and
// values of earlier tokens come from a cache.
//
// Memory: 2 kv_heads * head size numbers per layer for each written token and each source token.

#include "core/ops.h"
#include "core/ops/attention/cached_attention.h"
#include "decode/models/key_value_cache.h"
#include "decode/models/parts.h"
#include "decode/models/step_output.h"
#include "decode/translation.h"

namespace calque {
namespace {

using Ids = std::vector<int32_t>;

// The encoder runs once, and each layer's cross-attention projects the encoder's output once.
class CachedDecoder final : public StepDecoder {
 public:
  CachedDecoder(const Transformer& model, const std::vector<Ids>& sources,
                std::span<const size_t> items)
      : model_(model), cache_(model.decoder.layers.size()), output_(std::in_place, model.output) {
    const NoGradient nothing_recorded;
    const Ids ids = packed_sources(sources, items, model.options.source_end, segments_);
    const Tensor memory = model.encode(ids, segments_, Mode::evaluate);
    for (const DecoderLayer& layer : model.decoder.layers) {
      memory_.push_back(layer.cross_attention.project_memory(memory));
    }
  }

  Tensor step(const DecodingStep& step) override {
    const NoGradient nothing_recorded;
    cache_.follow(step);
    Tensor x = model_.embed_target(step.ids, cache_.rows(), cache_.positions());
    for (size_t i = 0; i < memory_.size(); ++i) {
      const DecoderLayer& layer = model_.decoder.layers[i];
      x = layer.self_attention_residual(x, Mode::evaluate, [&](const Tensor& h) {
        return cache_.attend_to_cache(i, layer.self_attention, h);
      });
      x = layer.cross_attention_residual(x, Mode::evaluate,
                                         [&](const Tensor& h) { return look_across(i, h, step); });
      x = layer.feed_forward_residual(x, Mode::evaluate, [&](const Tensor& h) {
        return layer.feed_forward(h, Mode::evaluate);
      });
    }
    return (*output_)(model_.decoder.norm ? (*model_.decoder.norm)(x) : x);
  }

  bool limit_outputs(std::span<const int32_t> outputs, int64_t rows) override {
    output_.emplace(model_.output, outputs, rows);
    return true;
  }

 private:
  Tensor look_across(size_t number, const Tensor& h, const DecodingStep& step) const {
    const CrossAttention& attention = model_.decoder.layers[number].cross_attention;
    const int64_t kd = attention.key_columns();
    CachedRows cached{.rows = {}, .starts = {0}, .value_offset = kd};
    for (const int32_t item : step.items) {
      for (int32_t token = segments_.begin(item); token < segments_.end(item); ++token) {
        cached.rows.push_back(memory_[number].data() + token * (2 * kd));
      }
      cached.starts.push_back(std::ssize(cached.rows));
    }
    const Tensor q = attention.project(h);
    return attention.output(
        cached_attention(q.data(), q.cols(), q.cols(), attention.options, cached));
  }

  const Transformer& model_;
  Segments segments_;           // of the sources, as append_source() ends them
  std::vector<Tensor> memory_;  // of each layer: keys and values of the sources
  KeyValueCache cache_;
  std::optional<StepOutput> output_;
};

}  // namespace

DecodingModel cached_translation_model(const Transformer& model, const std::vector<Ids>& sources) {
  DecodingModel decoding;
  decoding.start = [&](std::span<const size_t> items) {
    return std::make_unique<CachedDecoder>(model, sources, items);
  };
  decoding.vocabulary = model.options.target_vocabulary;
  if (model.options.layer.positions == PositionKind::learned) {
    decoding.positions.assign(sources.size(), model.options.layer.max_positions);
  }
  for (const DecoderLayer& layer : model.decoder.layers) {
    add_right_sides({&layer.self_attention.qkv, &layer.self_attention.output,
                     &layer.cross_attention.query, &layer.cross_attention.output},
                    decoding.right_sides);
    add_right_sides(layer.feed_forward.products(), decoding.right_sides);
  }
  decoding.output_right_sides.push_back(right_side(model.output));
  return decoding;
}

}  // namespace calque
