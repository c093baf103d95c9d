#pragma once
// The decoder, the right half of figure 1 (Vaswani et al. 2017): each layer attends to the target
// tokens so far, then to the source sentence, then transforms each token by itself.
//
// Decoding token by token runs the same layers with cached keys and values. It passes sublayers of
// its own to the residuals, built from SelfAttention::project, CrossAttention::project_memory, the
// attention op and the `output` projections.

#include "nn/layers/attention.h"
#include "nn/layers/mixture.h"
#include "nn/layers/residual.h"
#include "nn/models/self_attention_stack.h"

namespace calque {

struct DecoderLayer {
  SelfAttention self_attention;
  Residual self_attention_residual;
  CrossAttention cross_attention;
  Residual cross_attention_residual;
  TokenNetwork feed_forward;
  Residual feed_forward_residual;

  DecoderLayer(const Path& at, const LayerOptions& options)
      : self_attention(at / "self_attention", options, Mask::causal),
        self_attention_residual(at / "self_attention_norm", options),
        cross_attention(at / "cross_attention", options),
        cross_attention_residual(at / "cross_attention_norm", options),
        feed_forward(at / "feed_forward", options),
        feed_forward_residual(at / "feed_forward_norm", options) {}

  Tensor operator()(const Tensor& x, const Segments& segments, const Tensor& memory,
                    const Segments& memory_segments, Mode mode,
                    AttentionRecord* record = nullptr) const {
    const Tensor self_attended = self_attention_residual(
        x, mode, [&](const Tensor& h) { return self_attention(h, segments, mode, record); });
    const Tensor cross_attended =
        cross_attention_residual(self_attended, mode, [&](const Tensor& h) {
          return cross_attention(h, segments, memory, memory_segments, mode, record);
        });
    return feed_forward_residual(cross_attended, mode,
                                 [&](const Tensor& h) { return feed_forward(h, mode); });
  }
};

using Decoder = Stack<DecoderLayer>;

}  // namespace calque
