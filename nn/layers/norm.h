#pragma once
// A norm scales the vectors of tokens to a common size, which keeps deep models trainable:
//
//   LayerNorm (Ba et al. 2016)          gain (x - mean) / sqrt(variance + epsilon) + bias
//   RMSNorm (Zhang and Sennrich 2019)   gain x / sqrt(mean of x^2 + epsilon)
//
// The parameter of the kind rms_centered is gain - 1, as in Gemma.

#include "core/ops.h"
#include "core/parameters.h"
#include "nn/initial.h"
#include "nn/options.h"

namespace calque {

// One gain for each column, stored as its distance from 1 if `centered`.
struct Gain {
  Tensor stored;
  bool centered;

  Gain(const Path& at, int64_t cols, NormKind kind) : centered(kind == NormKind::rms_centered) {
    stored = at.parameter("gain", {cols}, Role::gain, centered ? zeros() : ones());
  }

  Tensor operator()() const { return centered ? stored + real(1) : stored; }
};

struct Norm {
  Gain gain;    // [d_model]
  Tensor bias;  // [d_model]; absent in RMSNorm
  real epsilon;

  Norm(const Path& at, const LayerOptions& options)
      : gain(at, options.d_model, options.norm_kind), epsilon(options.norm_epsilon) {
    if (options.norm_kind == NormKind::layer) {
      bias = at.parameter("bias", {options.d_model}, Role::bias, zeros());
    }
  }

  Tensor operator()(const Tensor& x) const {
    return bias ? layer_norm(x, gain(), bias, epsilon) : rms_norm(x, gain(), epsilon);
  }

  // norm(x + dropout(y)), in one pass over memory.
  Tensor of_sum(const Tensor& x, const Tensor& y, real dropout) const {
    return residual_norm(x, y, dropout, gain(), bias, epsilon);
  }
};

// RMSNorm of each head of queries or keys, with one gain for all heads (Henry et al. 2020).
struct HeadNorm {
  Gain gain;  // [head size]
  real epsilon;

  HeadNorm(const Path& at, const LayerOptions& options)
      : gain(at, options.head_size(), options.norm_kind), epsilon(options.norm_epsilon) {}

  // x [tokens, columns of the heads] -> the same shape
  Tensor operator()(const Tensor& x) const {
    const int64_t size = gain.stored.size();
    return rms_norm(x.reshaped({x.size() / size, size}), gain(), epsilon).reshaped(x.shape());
  }
};

}  // namespace calque
