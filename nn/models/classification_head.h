#pragma once
// From the hidden vectors of an encoder to logits over classes: pooling to one vector per sequence
// (that of the first token through a dense layer and tanh as in BERT, or the mean of all), dropout,
// and a projection. Classifier is a text encoder with this head.

#include <optional>
#include <span>

#include "core/ops.h"
#include "nn/models/encoder.h"

namespace calque {

struct ClassificationHeadOptions {
  int64_t classes = 2;
  Pooling pooling = Pooling::cls;
  bool dense = true;  // the dense layer and tanh of Pooling::cls
  real dropout = 0;   // of the pooled vectors

  bool operator==(const ClassificationHeadOptions&) const = default;
};

struct ClassificationHead {
  ClassificationHeadOptions options;
  std::optional<Linear> dense;
  Tensor weight;  // [classes, d_model]
  Tensor bias;    // [classes]

  ClassificationHead(const Path& at, int64_t d_model, const ClassificationHeadOptions& options);

  // hidden [tokens, d_model] -> [sequences, d_model]
  Tensor pooled(const Tensor& hidden, const Segments& segments, Mode mode) const;
  // pooled [sequences, d_model] -> [sequences, classes]: before the softmax.
  Tensor logits(const Tensor& pooled) const;

  // The summed loss of the expected classes. `pass` computes the pooled vectors; it runs twice if
  // `agreement` is not 0 (see OutputProjection::loss). class_weights is empty, or has the factor
  // for the losses of each class; then `pass` runs once, and `agreement` has no effect.
  template <class Pass>
  TokenLoss loss(Pass&& pass, std::span<const int32_t> expected,
                 std::span<const real> class_weights, real label_smoothing, real agreement) const {
    const Tensor first = pass();
    if (!class_weights.empty()) {
      return weighted_loss(first, expected, class_weights, label_smoothing);
    }
    if (agreement == 0) {
      return projected_cross_entropy(first, weight, bias, expected, label_smoothing);
    }
    return agreeing_cross_entropy(first, pass(), weight, bias, expected, label_smoothing,
                                  agreement);
  }

 private:
  TokenLoss weighted_loss(const Tensor& pooled, std::span<const int32_t> expected,
                          std::span<const real> class_weights, real label_smoothing) const;
};

struct ClassifierOptions {
  EncoderOptions encoder;
  ClassificationHeadOptions head;
  bool operator==(const ClassifierOptions&) const = default;
};

struct Classifier {
  ClassifierOptions options;
  Encoder encoder;
  ClassificationHead head;

  Classifier(const Path& at, const ClassifierOptions& options_)
      : options(options_),
        encoder(at, options.encoder),
        head(at.trained() / "classifier", options.encoder.layer.d_model, options.head) {}

  Tensor pooled(std::span<const int32_t> ids, std::span<const int32_t> kinds,
                const Segments& segments, Mode mode) const {
    return head.pooled(encoder(ids, kinds, segments, mode), segments, mode);
  }

  // The vectors [rows, d_model] of the tokens at these rows, for a head without a dense layer that
  // names their classes, as in BERT's token classification.
  Tensor of_tokens(std::span<const int32_t> ids, const Segments& segments,
                   std::span<const int32_t> rows, Mode mode) const {
    return dropout(gather_rows(encoder(ids, {}, segments, mode), rows),
                   dropout_in(mode, options.head.dropout));
  }
};

}  // namespace calque
