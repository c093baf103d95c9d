#pragma once
// y = activation(x W + b), or without b.

#include <utility>

#include "core/ops.h"
#include "core/parameters.h"
#include "nn/initial.h"

namespace calque {

struct Linear {
  Tensor weight;  // [in, out]
  Tensor bias;    // [out], or absent

  Linear(const Path& at, int64_t in, int64_t out) : Linear(at, in, out, xavier_uniform(in, out)) {}
  Linear(const Path& at, int64_t in, int64_t out, Initial initial, bool with_bias = true)
      : weight(at.parameter("weight", {in, out}, Role::weight, std::move(initial))) {
    if (with_bias) bias = at.parameter("bias", {out}, Role::bias, zeros());
  }

  // [tokens, in] -> [tokens, out]
  Tensor operator()(const Tensor& x, Activation activation = Activation::none) const {
    return linear(x, weight, bias, activation);
  }
};

}  // namespace calque
