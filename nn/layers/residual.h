#pragma once
// The residual connection and norm around every sublayer. The connection passes gradients to lower
// layers unchanged; the norm limits the size of the sum. There are two orders:
//
//   post-norm (Vaswani et al. 2017)        y = norm(x + dropout(sublayer(x)))
//   pre-norm  (Xiong et al. 2020)          y = x + dropout(sublayer(norm(x)))
//
// Post-norm often reaches a better loss but needs warm-up; pre-norm trains easily at any depth.

#include "nn/layers/norm.h"
#include "nn/mode.h"

namespace calque {

struct Residual {
  Norm norm;
  NormPlacement placement;
  real dropout;

  Residual(const Path& at, const LayerOptions& options)
      : norm(at, options), placement(options.norm_placement), dropout(options.dropout) {}

  // The sublayer is a function from a tensor [tokens, d_model] to one of the same shape.
  template <class Sublayer>
  Tensor operator()(const Tensor& x, Mode mode, Sublayer&& sublayer) const {
    const real p = dropout_in(mode, dropout);
    if (placement == NormPlacement::post) return norm.of_sum(x, sublayer(x), p);
    return residual(x, sublayer(norm(x)), p);
  }
};

}  // namespace calque
