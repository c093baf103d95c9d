#pragma once
// y = activation(x W + b), or without b. With an adapter, W and b are frozen.

#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "core/ops.h"
#include "core/parameters.h"
#include "nn/initial.h"
#include "nn/layers/adapter.h"

namespace calque {

struct Linear {
  Tensor weight;  // [in, out]
  Tensor bias;    // [out], or absent
  std::optional<Adapter> adapter;

  Linear(const Path& at, int64_t in, int64_t out) : Linear(at, in, out, xavier_uniform(in, out)) {}
  Linear(const Path& at, int64_t in, int64_t out, Initial initial, bool with_bias = true)
      : weight(at.parameter("weight", {in, out}, Role::weight, std::move(initial))) {
    if (with_bias) bias = at.parameter("bias", {out}, Role::bias, zeros());
  }
  // The weight consists of matrices of these widths, side by side. If `adapted`, each of them has
  // an adapter, provided that the options have one.
  Linear(const Path& at, int64_t in, const std::vector<int64_t>& widths, Initial initial,
         bool with_bias, const AdapterOptions& options, bool adapted)
      : Linear(at, in, std::accumulate(widths.begin(), widths.end(), int64_t{0}),
               std::move(initial), with_bias) {
    if (options && adapted) adapter.emplace(at, in, widths, options);
  }

  // [tokens, in] -> [tokens, out]
  Tensor operator()(const Tensor& x, Activation activation = Activation::none) const {
    return adapter ? (*adapter)(x, weight, bias, activation) : linear(x, weight, bias, activation);
  }
};

}  // namespace calque
