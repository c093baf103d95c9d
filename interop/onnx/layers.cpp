#include "interop/onnx/layers.h"

#include <cmath>

namespace calque {

OnnxValue OnnxLayers::linear(const OnnxValue& x, const Linear& linear) {
  const OnnxValue product = graph_.node("MatMul", {x, graph_.constant(linear.weight)});
  return graph_.node("Add", {product, graph_.constant(linear.bias)});
}

OnnxValue OnnxLayers::norm(const OnnxValue& x, const Norm& norm) {
  const OnnxValue gain = graph_.constant(norm.gain.stored);
  if (norm.bias) {
    return graph_.node("LayerNormalization", {x, gain, graph_.constant(norm.bias)},
                       {{"axis", int64_t{-1}}, {"epsilon", static_cast<float>(norm.epsilon)}});
  }
  const OnnxValue square =
      graph_.node("ReduceMean", {graph_.node("Mul", {x, x})}, {{"axes", std::vector<int64_t>{-1}}});
  const OnnxValue scale =
      graph_.node("Sqrt", {graph_.node("Add", {square, graph_.number(norm.epsilon)})});
  return graph_.node("Mul", {graph_.node("Div", {x, scale}), gain});
}

OnnxValue OnnxLayers::activated(const OnnxValue& x, Activation activation) {
  const auto scaled_by = [&](const OnnxValue& v, real factor) {
    return graph_.node("Mul", {v, graph_.number(factor)});
  };
  const auto gelu = [&](const OnnxValue& curve) {  // x (1 + curve) / 2
    return scaled_by(graph_.node("Mul", {x, graph_.node("Add", {curve, graph_.number(1)})}),
                     real(0.5));
  };
  switch (activation) {
    case Activation::relu:
      return graph_.node("Relu", {x});
    case Activation::gelu:
      return gelu(graph_.node("Erf", {scaled_by(x, std::sqrt(real(0.5)))}));
    case Activation::gelu_tanh: {
      const OnnxValue cube = graph_.node("Mul", {x, graph_.node("Mul", {x, x})});
      const OnnxValue sum = graph_.node("Add", {x, scaled_by(cube, real(0.044715))});
      return gelu(graph_.node("Tanh", {scaled_by(sum, std::sqrt(real(M_2_PI)))}));
    }
    case Activation::silu:
      return graph_.node("Mul", {x, graph_.node("Sigmoid", {x})});
    default:
      return x;
  }
}

OnnxValue OnnxLayers::feed_forward(const OnnxValue& x, const FeedForward& network) {
  const OnnxValue inner = linear(x, network.inner);
  if (!gated(network.activation)) {
    return linear(activated(inner, network.activation), network.outer);
  }
  const int64_t width = network.outer.weight.rows();
  const std::vector<OnnxValue> parts = graph_.split(inner, {width, width});
  const OnnxValue gate = activated(parts[0], gate_of(network.activation));
  return linear(graph_.node("Mul", {gate, parts[1]}), network.outer);
}

OnnxValue OnnxLayers::residual(const OnnxValue& x, const Residual& residual,
                               const std::function<OnnxValue(const OnnxValue&)>& sublayer) {
  if (residual.placement == NormPlacement::post) {
    return norm(graph_.node("Add", {x, sublayer(x)}), residual.norm);
  }
  return graph_.node("Add", {x, sublayer(norm(x, residual.norm))});
}

OnnxValue OnnxLayers::rows(const Tensor& table, const OnnxValue& begin, const OnnxValue& end) {
  return graph_.node("Slice", {graph_.constant(table), begin, end, graph_.integers({0})});
}

OnnxValue OnnxLayers::embedding(const OnnxValue& ids, const Embedding& embedding) {
  const OnnxValue found = graph_.node("Gather", {graph_.constant(embedding.weight), ids});
  return graph_.node("Mul", {found, graph_.number(embedding.factor)});
}

OnnxValue OnnxLayers::size(const OnnxValue& x, int64_t axis) {
  return graph_.node("Shape", {x}, {{"start", axis}, {"end", axis + 1}});
}

OnnxValue OnnxLayers::heads(const OnnxValue& x) {
  const OnnxValue cut = graph_.node(
      "Reshape", {x, graph_.integers({0, 0, options_.heads, options_.d_model / options_.heads})});
  return graph_.node("Transpose", {cut}, {{"perm", std::vector<int64_t>{0, 2, 1, 3}}});
}

OnnxValue OnnxLayers::rotated(const OnnxValue& x, const OnnxValue& begin, const OnnxValue& end) {
  const int64_t half = options_.d_model / options_.heads / 2;
  if (!cosines_) {
    cosines_ = Tensor({options_.max_positions, half});
    sines_ = Tensor({options_.max_positions, half});
    for (int64_t p = 0; p < options_.max_positions; ++p) {
      for (int64_t k = 0; k < half; ++k) {
        const double angle = static_cast<double>(p) *
                             std::pow(10000.0, -static_cast<double>(k) / static_cast<double>(half));
        cosines_.data()[p * half + k] = static_cast<real>(std::cos(angle));
        sines_.data()[p * half + k] = static_cast<real>(std::sin(angle));
      }
    }
  }
  const OnnxValue cosine = rows(cosines_, begin, end), sine = rows(sines_, begin, end);
  const std::vector<OnnxValue> parts = graph_.split(x, {half, half});
  const auto part_times = [&](size_t part, const OnnxValue& factor) {
    return graph_.node("Mul", {parts[part], factor});
  };
  const OnnxValue first = graph_.node("Sub", {part_times(0, cosine), part_times(1, sine)});
  const OnnxValue second = graph_.node("Add", {part_times(1, cosine), part_times(0, sine)});
  return graph_.node("Concat", {first, second}, {{"axis", int64_t{-1}}});
}

OnnxValue OnnxLayers::padding(const OnnxValue& mask) {
  const OnnxValue seen = graph_.node("Cast", {mask}, {{"to", int64_t(OnnxType::float32)}});
  const OnnxValue missing = graph_.node("Sub", {graph_.number(1), seen});
  const OnnxValue hidden = graph_.node("Mul", {missing, graph_.number(masked)});
  return graph_.node("Unsqueeze", {hidden, graph_.integers({1, 2})});
}

OnnxValue OnnxLayers::causal(const OnnxValue& begin, const OnnxValue& end) {
  const OnnxValue first = graph_.node("Squeeze", {begin}), last = graph_.node("Squeeze", {end});
  const OnnxValue one = graph_.integer(1);
  const OnnxValue queries = graph_.node("Range", {first, last, one});
  const OnnxValue keys = graph_.node("Range", {graph_.integer(0), last, one});
  const OnnxValue later =
      graph_.node("Greater", {keys, graph_.node("Unsqueeze", {queries, graph_.integers({1})})});
  return graph_.node("Where", {later, graph_.number(masked), graph_.number(0)});
}

OnnxLayers::Attended OnnxLayers::attention(const OnnxValue& queries, const OnnxValue& keys,
                                           const OnnxValue& values, const OnnxValue& hidden) {
  const real scale = 1 / std::sqrt(static_cast<real>(options_.d_model / options_.heads));
  const OnnxValue turned =
      graph_.node("Transpose", {keys}, {{"perm", std::vector<int64_t>{0, 1, 3, 2}}});
  const OnnxValue scores =
      graph_.node("Mul", {graph_.node("MatMul", {queries, turned}), graph_.number(scale)});
  const OnnxValue weights =
      graph_.node("Softmax", {graph_.node("Add", {scores, hidden})}, {{"axis", int64_t{-1}}});
  const OnnxValue mean = graph_.node("Transpose", {graph_.node("MatMul", {weights, values})},
                                     {{"perm", std::vector<int64_t>{0, 2, 1, 3}}});
  return {graph_.node("Reshape", {mean, graph_.integers({0, 0, options_.d_model})}), weights};
}

OnnxLayers::Attended OnnxLayers::self_attention(const OnnxValue& x, const SelfAttention& own,
                                                const OnnxValue& begin, const OnnxValue& end,
                                                const OnnxValue& hidden, const Remember& remember) {
  const int64_t d = options_.d_model;
  const auto parts = graph_.split(linear(x, own.qkv), {d, d, d});
  OnnxValue queries = heads(parts[0]), keys = heads(parts[1]);
  if (!own.frequencies.empty()) {
    queries = rotated(queries, begin, end);
    keys = rotated(keys, begin, end);
  }
  const auto kept = [&](const OnnxValue& added, const char* what) {
    return remember ? remember(added, what) : added;
  };
  const OnnxValue values = kept(heads(parts[2]), "value");
  return attention(queries, kept(keys, "key"), values, hidden);
}

}  // namespace calque
