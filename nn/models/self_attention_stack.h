#pragma once
// A stack of layers of self-attention and feed-forward: the tokens of a sentence attend to each
// other, then the network transforms each token by itself. Without a mask it is the encoder, the
// left half of figure 1 (Vaswani et al. 2017; BERT); with the causal mask it is a decoder-only
// model (GPT), where a token depends only on the tokens up to itself.

#include <optional>
#include <vector>

#include "nn/layers/attention.h"
#include "nn/layers/mixture.h"
#include "nn/layers/residual.h"

namespace calque {

struct SelfAttentionLayer {
  SelfAttention self_attention;
  Residual self_attention_residual;
  TokenNetwork feed_forward;
  Residual feed_forward_residual;

  SelfAttentionLayer(const Path& at, const LayerOptions& options, Mask mask)
      : self_attention(at / "self_attention", options, mask),
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

// A stack of layers. Unless they are post-norm, a norm follows the last layer.
template <class Layer>
struct Stack {
  std::vector<Layer> layers;
  std::optional<Norm> norm;

  template <class... More>
  Stack(const Path& at, const LayerOptions& options, int64_t count, More... more) {
    layers.reserve(count);
    LayerOptions own = options;
    for (int64_t i = 0; i < count; ++i) {
      own.attention = options.attention.at_layer(i);
      layers.emplace_back(at / "layers" / i, own, more...);
    }
    if (options.norm_placement != NormPlacement::post) norm.emplace(at / "norm", options);
  }

  // x [tokens, d_model] and the other arguments of a layer -> the shape of x
  template <class... More>
  Tensor operator()(Tensor x, const More&... more) const {
    for (const Layer& layer : layers) x = layer(x, more...);
    return norm ? (*norm)(x) : x;
  }
};

using SelfAttentionStack = Stack<SelfAttentionLayer>;

}  // namespace calque
