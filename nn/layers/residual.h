#pragma once
// The residual connection and norm around every sublayer. The connection passes gradients to lower
// layers unchanged; the norm limits the size of the sum. The orders:
//
//   post-norm (Vaswani et al. 2017)        y = norm(x + dropout(sublayer(x)))
//   pre-norm  (Xiong et al. 2020)          y = x + dropout(sublayer(norm(x)))
//   both      (Ding et al. 2021; Gemma 2)  y = x + dropout(after(sublayer(norm(x))))
//
// Post-norm often reaches a better loss but needs warm-up; pre-norm trains easily at any depth. A
// second norm `after` the sublayer limits what each layer adds.

#include <optional>

#include "nn/layers/norm.h"
#include "nn/mode.h"

namespace calque {

struct Residual {
  Norm norm;
  std::optional<Norm> after;
  NormPlacement placement;
  real dropout;

  Residual(const Path& at, const LayerOptions& options)
      : norm(at, options), placement(options.norm_placement), dropout(options.dropout) {
    if (placement == NormPlacement::both) after.emplace(at / "after", options);
  }

  // The sublayer is a function from a tensor [tokens, d_model] to one of the same shape.
  template <class Sublayer>
  Tensor operator()(const Tensor& x, Mode mode, Sublayer&& sublayer) const {
    const real p = dropout_in(mode, dropout);
    if (placement == NormPlacement::post) return norm.of_sum(x, sublayer(x), p);
    const Tensor y = sublayer(norm(x));
    return residual(x, after ? (*after)(y) : y, p);
  }
};

}  // namespace calque
