#pragma once
// The left half of figure 1: each layer first lets the tokens of a sentence look at each other,
// then thinks about each of them alone. What comes out, the memory, is one vector a source token
// that knows its sentence.

#include <optional>
#include <vector>

#include "nn/attention.h"
#include "nn/feed_forward.h"
#include "nn/residual.h"

namespace calque {

struct EncoderLayer {
  SelfAttention self_attention;
  Residual self_attention_residual;
  FeedForward feed_forward;
  Residual feed_forward_residual;

  EncoderLayer(const Path& at, const TransformerOptions& options)
      : self_attention(at / "self_attention", options, Mask::none),
        self_attention_residual(at / "self_attention_norm", options),
        feed_forward(at / "feed_forward", options),
        feed_forward_residual(at / "feed_forward_norm", options) {}

  Tensor operator()(const Tensor& x, const Segments& segments, Mode mode,
                    AttentionRecord* record = nullptr) const {
    const Tensor attended = self_attention_residual(
        x, mode, [&](const Tensor& h) { return self_attention(h, segments, mode, record); });
    return feed_forward_residual(attended, mode,
                                 [&](const Tensor& h) { return feed_forward(h, mode); });
  }
};

struct Encoder {
  std::vector<EncoderLayer> layers;
  std::optional<Norm> norm;  // pre-norm leaves the sum of all sublayers to one last norm

  Encoder(const Path& at, const TransformerOptions& options) {
    layers.reserve(options.encoder_layers);
    for (int64_t i = 0; i < options.encoder_layers; ++i) {
      layers.emplace_back(at / "layers" / i, options);
    }
    if (options.norm_placement == NormPlacement::pre) norm.emplace(at / "norm", options);
  }

  // [tokens, d_model], embedded -> memory [tokens, d_model]
  Tensor operator()(Tensor x, const Segments& segments, Mode mode,
                    AttentionRecord* record = nullptr) const {
    for (const EncoderLayer& layer : layers) x = layer(x, segments, mode, record);
    return norm ? (*norm)(x) : x;
  }
};

}  // namespace calque
