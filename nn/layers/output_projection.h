#pragma once
// The projection of hidden vectors to a logit for each token of the vocabulary. Its weight has the
// layout of an embedding table, and is that table if they are tied.

#include <span>

#include "core/ops.h"
#include "core/parameters.h"
#include "nn/initial.h"
#include "nn/layers/embedding.h"

namespace calque {

struct OutputProjection {
  Tensor weight;  // [vocabulary, d_model]
  Tensor bias;    // [vocabulary], or absent
  real cap;       // above 0: a logit z becomes cap tanh(z / cap)

  OutputProjection(const Path& at, const Embedding& embedding, bool tied, bool with_bias,
                   real cap_ = 0)
      : weight(tied ? embedding.weight
                    : at.parameter("weight", embedding.weight.shape(), Role::output,
                                   embedding_normal(embedding.weight.cols()))),
        cap(cap_) {
    if (with_bias) bias = at.parameter("bias", {weight.rows()}, Role::output_bias, zeros());
  }

  // hidden [tokens, d_model] -> logits [tokens, vocabulary], before the softmax
  Tensor operator()(const Tensor& hidden) const {
    Tensor logits = matmul(hidden, weight, Transpose::right);
    if (bias) logits = logits + bias;
    return cap > 0 ? tanh(logits * (1 / cap)) * cap : logits;
  }

  // Returns the loss summed over the expected tokens. `pass` computes the hidden vectors. If
  // `agreement` is not 0, `pass` runs twice, with different dropout: see agreeing_cross_entropy().
  template <class Pass>
  TokenLoss loss(Pass&& pass, std::span<const int32_t> expected, real label_smoothing,
                 real agreement) const {
    const Tensor hidden = pass();
    if (agreement == 0) {
      return projected_cross_entropy(hidden, weight, bias, expected, label_smoothing, cap);
    }
    return agreeing_cross_entropy(hidden, pass(), weight, bias, expected, label_smoothing,
                                  agreement, cap);
  }

  // The same for hidden vectors, with those of a teacher: see distilled_cross_entropy().
  TokenLoss distilled_loss(const Tensor& hidden, const OutputProjection& teacher,
                           const Tensor& teacher_hidden, std::span<const int32_t> expected,
                           real label_smoothing, real share) const {
    return distilled_cross_entropy(hidden, weight, bias, teacher_hidden, teacher.weight,
                                   teacher.bias, expected, label_smoothing, share, cap,
                                   teacher.cap);
  }
};

}  // namespace calque
