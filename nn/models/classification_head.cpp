#include "nn/models/classification_head.h"

#include <algorithm>
#include <vector>

#include "core/error.h"

namespace calque {

ClassificationHead::ClassificationHead(const Path& at, int64_t d_model,
                                       const ClassificationHeadOptions& options_)
    : options(options_) {
  if (options.classes < 2) {
    fail("a classifier needs at least 2 classes, not {}", options.classes);
  }
  if (options.pooling == Pooling::cls && options.dense) {
    dense.emplace(at / "dense", d_model, d_model);
  }
  weight = at.parameter("weight", {options.classes, d_model}, Role::weight,
                        xavier_uniform(d_model, options.classes));
  bias = at.parameter("bias", {options.classes}, Role::bias, zeros());
}

Tensor ClassificationHead::pooled(const Tensor& hidden, const Segments& segments, Mode mode) const {
  Tensor vectors;
  if (options.pooling == Pooling::mean) {
    vectors = mean_of_segments(hidden, segments);
  } else {
    const std::vector<int32_t>& offsets = segments.offsets();
    vectors = gather_rows(hidden, std::span(offsets).first(offsets.size() - 1));
    if (dense) vectors = tanh((*dense)(vectors));
  }
  return dropout(vectors, dropout_in(mode, options.dropout));
}

Tensor ClassificationHead::logits(const Tensor& pooled) const {
  return matmul(pooled, weight, Transpose::right) + bias;
}

// - sum over examples and classes of w q log p, with q the smoothed target distribution.
TokenLoss ClassificationHead::weighted_loss(const Tensor& pooled, std::span<const int32_t> expected,
                                            std::span<const real> class_weights,
                                            real label_smoothing) const {
  const int64_t classes = options.classes;
  require(std::ssize(class_weights) == classes, "ClassificationHead: {} weights for {} classes",
          class_weights.size(), classes);
  const Tensor log_p = log_softmax(logits(pooled));
  const Tensor targets = Tensor::zeros(log_p.shape());
  TokenLoss result;
  result.tokens = std::ssize(expected);
  for (int64_t i = 0; i < result.tokens; ++i) {
    const int32_t own = expected[i];
    real* const row = targets.data() + i * classes;
    const real* const log_row = log_p.data() + i * classes;
    for (int64_t c = 0; c < classes; ++c) {
      const real q =
          label_smoothing / static_cast<real>(classes) + (c == own ? 1 - label_smoothing : real(0));
      row[c] = class_weights[own] * q;
    }
    result.nll -= static_cast<double>(log_row[own]);
    if (std::max_element(log_row, log_row + classes) - log_row == own) ++result.correct;
  }
  result.loss = -sum(log_p * targets);
  return result;
}

}  // namespace calque
