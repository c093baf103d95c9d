#pragma once
// The encoder-decoder model before the Transformer (Cho et al. 2014; Bahdanau et al. 2015): a
// bidirectional recurrent encoder, and a recurrent decoder that attends to its output. encode() and
// decode() are called like those of Transformer (nn/models/transformer.h), but no source of a batch
// may be empty.

#include <span>
#include <vector>

#include "nn/layers/attention.h"
#include "nn/layers/embedding.h"
#include "nn/layers/output_projection.h"
#include "nn/layers/recurrent.h"
#include "nn/models/recurrent_decoder.h"

namespace calque {

struct RecurrentTranslator {
  RecurrentOptions options;
  Embedding source_embedding;
  Embedding target_embedding;
  std::vector<BidirectionalLayer> encoder;
  RecurrentDecoder decoder;
  OutputProjection output;

  // Throws an Error if the options are invalid.
  RecurrentTranslator(const Path& at, const RecurrentOptions& options);

  // Source ids [source tokens] -> memory [source tokens, 2 hidden].
  Tensor encode(std::span<const int32_t> ids, const Segments& segments, Mode mode,
                AttentionRecord* record = nullptr) const;
  // Target ids, <s> first: [target tokens] -> hidden [target tokens, d_model].
  Tensor decode(std::span<const int32_t> ids, const Segments& segments, const Tensor& memory,
                const Segments& memory_segments, Mode mode,
                AttentionRecord* record = nullptr) const;
};

}  // namespace calque
