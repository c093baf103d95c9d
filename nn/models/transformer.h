#pragma once
// The model of figure 1 of Vaswani et al. (2017): embeddings and positions, encoder, decoder, and
// the projection to the vocabulary. Read in this order: linear.h, embedding.h, positions.h, norm.h,
// residual.h, feed_forward.h, attention.h, self_attention_stack.h, decoder.h, output_projection.h.
//
// Batches are packed: the tokens of all sentences one after the other, with Segments for their
// bounds. There is no padding, so there is no mask for it.

#include <span>

#include "core/ops.h"
#include "core/parameters.h"
#include "nn/layers/embedding.h"
#include "nn/layers/output_projection.h"
#include "nn/layers/positions.h"
#include "nn/mode.h"
#include "nn/models/decoder.h"
#include "nn/models/self_attention_stack.h"
#include "nn/options.h"

namespace calque {

struct Transformer {
  TransformerOptions options;
  Embedding source_embedding;
  Positions source_positions;
  Embedding target_embedding;
  Positions target_positions;
  SelfAttentionStack encoder;
  Decoder decoder;
  OutputProjection output;

  // Throws an Error if the options are invalid.
  Transformer(const Path& at, const TransformerOptions& options);

  // Source ids [source tokens] -> memory [source tokens, d_model].
  Tensor encode(std::span<const int32_t> ids, const Segments& segments, Mode mode,
                AttentionRecord* record = nullptr) const;

  // Target ids -> the input of the decoder's layers, before dropout: [target tokens, d_model].
  // Sentence i begins at position starts[i], or at 0 if starts is empty.
  Tensor embed_target(std::span<const int32_t> ids, const Segments& segments,
                      std::span<const int32_t> starts = {}) const;

  // Target ids, <s> first: [target tokens] -> hidden [target tokens, d_model]. Row t of a sentence
  // does not depend on its ids after t. Sentence i attends to sentence i of the memory.
  Tensor decode(std::span<const int32_t> ids, const Segments& segments, const Tensor& memory,
                const Segments& memory_segments, Mode mode,
                AttentionRecord* record = nullptr) const;

  // hidden [tokens, d_model] -> [tokens, target vocabulary]: before the softmax.
  Tensor logits(const Tensor& hidden) const { return output(hidden); }

  // The summed loss with teacher forcing: the decoder reads <s> and the target, and is trained to
  // predict the target and </s>. See TokenLoss for the smoothing, OutputProjection::loss for
  // the agreement.
  TokenLoss loss(std::span<const int32_t> source, const Segments& source_segments,
                 std::span<const int32_t> decoder_input, std::span<const int32_t> expected,
                 const Segments& target_segments, real label_smoothing, Mode mode,
                 real agreement = 0) const;
};

}  // namespace calque
