#pragma once
// The modules of nn/ as nodes of an ONNX graph. Where nn/ computes with packed tokens
// [tokens, d_model], the graph has [batch, length, d_model].

#include <functional>
#include <optional>

#include "interop/onnx/graph.h"
#include "nn/layers/attention.h"
#include "nn/layers/embedding.h"
#include "nn/layers/feed_forward.h"
#include "nn/layers/norm.h"
#include "nn/layers/residual.h"

namespace calque {

class OnnxLayers {
 public:
  OnnxLayers(OnnxGraph& graph, const LayerOptions& options) : graph_(graph), options_(options) {}

  OnnxValue linear(const OnnxValue& x, const Linear& linear);
  OnnxValue norm(const OnnxValue& x, const Norm& norm);
  OnnxValue activated(const OnnxValue& x, Activation activation);
  OnnxValue feed_forward(const OnnxValue& x, const FeedForward& network);
  OnnxValue residual(const OnnxValue& x, const Residual& residual,
                     const std::function<OnnxValue(const OnnxValue&)>& sublayer);

  // Rows [begin, end) of a table; both are vectors of one int64.
  OnnxValue rows(const Tensor& table, const OnnxValue& begin, const OnnxValue& end);
  OnnxValue embedding(const OnnxValue& ids, const Embedding& embedding);
  // The size of an axis of x, as a vector of one int64.
  OnnxValue size(const OnnxValue& x, int64_t axis);

  // [batch, length, d_model] -> [batch, heads, length, head size]
  OnnxValue heads(const OnnxValue& x);
  // Rotates queries or keys at the positions [begin, end).
  OnnxValue rotated(const OnnxValue& x, const OnnxValue& begin, const OnnxValue& end);

  // 0 where mask [batch, keys] is 1, and a large negative number where it is 0:
  // [batch, 1, 1, keys].
  OnnxValue padding(const OnnxValue& mask);
  // A large negative number where a key comes after the query, and else 0, for queries [begin, end)
  // and keys [0, end): [queries, keys].
  OnnxValue causal(const OnnxValue& begin, const OnnxValue& end);

  struct Attended {
    OnnxValue context;  // [batch, queries, d_model]
    OnnxValue weights;  // [batch, heads, queries, keys]
  };
  // Attention of queries, keys and values that heads() has split. The mask `hidden` is added to the
  // scores.
  Attended attention(const OnnxValue& queries, const OnnxValue& keys, const OnnxValue& values,
                     const OnnxValue& hidden);
  // Attention of the tokens x at the positions [begin, end) among each other and, if `remember`
  // puts keys or values behind a cache ("key", "value"), to those before them.
  using Remember = std::function<OnnxValue(const OnnxValue& added, const char* what)>;
  Attended self_attention(const OnnxValue& x, const SelfAttention& own, const OnnxValue& begin,
                          const OnnxValue& end, const OnnxValue& hidden,
                          const Remember& remember = {});

 private:
  static constexpr real masked = -1e9F;

  OnnxGraph& graph_;
  const LayerOptions& options_;
  Tensor cosines_, sines_;  // of rotated(), computed by its first call
};

}  // namespace calque
