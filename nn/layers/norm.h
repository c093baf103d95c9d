#pragma once
// A norm scales the vectors of tokens to a common size, which keeps deep models trainable:
//
//   LayerNorm (Ba et al. 2016)          gain (x - mean) / sqrt(variance + epsilon) + bias
//   RMSNorm (Zhang and Sennrich 2019)   gain x / sqrt(mean of x^2 + epsilon)

#include "core/ops.h"
#include "core/parameters.h"
#include "nn/initial.h"
#include "nn/options.h"

namespace calque {

struct Norm {
  Tensor gain;  // [d_model]
  Tensor bias;  // [d_model]; absent in RMSNorm
  real epsilon;

  Norm(const Path& at, const LayerOptions& options)
      : gain(at.parameter("gain", {options.d_model}, Role::gain, ones())),
        epsilon(options.norm_epsilon) {
    if (options.norm_kind == NormKind::layer) {
      bias = at.parameter("bias", {options.d_model}, Role::bias, zeros());
    }
  }

  Tensor operator()(const Tensor& x) const {
    return bias ? layer_norm(x, gain, bias, epsilon) : rms_norm(x, gain, epsilon);
  }

  // norm(x + dropout(y)), in one pass over memory.
  Tensor of_sum(const Tensor& x, const Tensor& y, real dropout) const {
    return residual_norm(x, y, dropout, gain, bias, epsilon);
  }
};

// RMSNorm of each head of queries or keys, with one gain for all heads (Henry et al. 2020).
struct HeadNorm {
  Tensor gain;  // [head size]
  real epsilon;

  HeadNorm(const Path& at, const LayerOptions& options)
      : gain(at.parameter("gain", {options.head_size()}, Role::gain, ones())),
        epsilon(options.norm_epsilon) {}

  // x [tokens, d_model] -> the same shape
  Tensor operator()(const Tensor& x) const {
    const int64_t size = gain.size();
    return rms_norm(x.reshaped({x.size() / size, size}), gain, epsilon).reshaped(x.shape());
  }
};

}  // namespace calque
