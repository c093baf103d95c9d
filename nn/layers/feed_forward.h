#pragma once
// The position-wise feed-forward network (Vaswani et al. 2017, section 3.3), which transforms each
// token by itself.
//
//   relu, gelu, gelu-tanh, silu   FFN(x) = activation(x W1 + b1) W2 + b2
//   swiglu                        FFN(x) = (silu(x Wa + ba) * (x Wb + bb)) W2 + b2
//   geglu, geglu-tanh             the same with gelu or gelu-tanh in place of silu
//
// `inner` holds Wa and Wb of the gated networks (Shazeer 2020), which have 3 d_model d_ff weights;
// the others have 2 d_model d_ff.

#include "nn/layers/linear.h"
#include "nn/mode.h"
#include "nn/options.h"

namespace calque {

struct FeedForward {
  Activation activation;
  Linear inner;  // d_model -> d_ff (2 d_ff if gated)
  Linear outer;  // d_ff -> d_model
  real dropout;

  FeedForward(const Path& at, const LayerOptions& options)
      : FeedForward(at, options, options.d_ff) {}
  FeedForward(const Path& at, const LayerOptions& options, int64_t width)
      : activation(options.activation),
        inner(at / "inner", options.d_model,
              gated(activation) ? std::vector{width, width} : std::vector{width},
              xavier_uniform(options.d_model, width), options.biases == BiasedLayers::all,
              options.adapter, options.adapter.feed_forward),
        outer(at / "outer", width, {options.d_model},
              scaled(xavier_uniform(width, options.d_model), options.residual_initial_scale),
              options.biases == BiasedLayers::all, options.adapter, options.adapter.feed_forward),
        dropout(options.activation_dropout) {}

  // [tokens, d_model] -> [tokens, d_model]
  Tensor operator()(const Tensor& x, Mode mode) const {
    return outer(calque::dropout(inner(x, activation), dropout_in(mode, dropout)));
  }
};

}  // namespace calque
