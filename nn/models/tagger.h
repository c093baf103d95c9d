#pragma once
// A tagger names the class of each word: it is a Classifier without a dense layer that reads, not a
// vector of the whole sequence, but that of one token of each word, as BERT's token classification.

#include <span>

#include "nn/models/classification_head.h"

namespace calque {

// The vectors [rows, d_model] of the tokens at these rows, for head.logits() and head.loss().
inline Tensor token_vectors(const Classifier& model, std::span<const int32_t> ids,
                            const Segments& segments, std::span<const int32_t> rows, Mode mode) {
  return dropout(gather_rows(model.encoder(ids, {}, segments, mode), rows),
                 dropout_in(mode, model.options.head.dropout));
}

}  // namespace calque
