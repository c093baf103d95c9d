#pragma once
// The wrapping around every sublayer, written once. Its way past the sublayer lets gradients reach
// the lowest layers undiminished; the norm keeps the sum in range. The two orders in use:
//
//   post-norm, the paper's (section 3.1)   y = norm(x + dropout(sublayer(x)))
//   pre-norm  (Xiong et al. 2020)          y = x + dropout(sublayer(norm(x)))
//
// Post-norm tends to end better, and needs warm-up to get there; pre-norm trains easily at any
// depth.

#include "nn/mode.h"
#include "nn/norm.h"

namespace calque {

struct Residual {
  Norm norm;
  NormPlacement placement;
  real dropout;

  Residual(const Path& at, const LayerOptions& options)
      : norm(at, options), placement(options.norm_placement), dropout(options.dropout) {}

  // The sublayer is any function of a tensor [tokens, d_model] to one of the same shape.
  template <class Sublayer>
  Tensor operator()(const Tensor& x, Mode mode, Sublayer&& sublayer) const {
    const real p = dropout_in(mode, dropout);
    if (placement == NormPlacement::post) return norm.of_sum(x, sublayer(x), p);
    return residual(x, sublayer(norm(x)), p);
  }
};

}  // namespace calque
