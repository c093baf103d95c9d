#pragma once
// The encoder-only Transformer (Devlin et al. 2019: BERT): every token attends to all tokens of its
// sequence. EncoderBody takes embedded tokens of any kind: words, or the patches of an image.
// Encoder is a table of token embeddings followed by the body. MaskedHead predicts tokens.
//
// Parameters: embedding.weight, segments.weight (with segment kinds), positions.weight (learned),
// embedding_norm.gain (post-norm, as in BERT), layers.0.self_attention.qkv.weight, ..., norm.gain
// (pre-norm).

#include <optional>
#include <span>

#include "core/ops.h"
#include "nn/layers/embedding.h"
#include "nn/layers/linear.h"
#include "nn/layers/output_projection.h"
#include "nn/layers/positions.h"
#include "nn/models/self_attention_stack.h"

namespace calque {

struct EncoderBody {
  Positions positions;
  std::optional<Norm> embedding_norm;
  SelfAttentionStack stack;
  real dropout;

  EncoderBody(const Path& at, const LayerOptions& options, int64_t layers);

  // embedded [tokens, d_model] -> hidden [tokens, d_model]
  Tensor operator()(const Tensor& embedded, const Segments& segments, Mode mode,
                    AttentionRecord* record = nullptr) const;
};

struct Encoder {
  EncoderOptions options;
  Embedding embedding;
  Tensor segment_table;  // [segment_kinds, d_model], or absent
  EncoderBody body;

  // Throws an Error if the options are invalid.
  Encoder(const Path& at, const EncoderOptions& options);

  // ids [tokens] -> hidden [tokens, d_model]. kinds[t] is the number of the text, within its
  // sequence, to which token t belongs; it is read only if options.segment_kinds > 0.
  Tensor operator()(std::span<const int32_t> ids, std::span<const int32_t> kinds,
                    const Segments& segments, Mode mode, AttentionRecord* record = nullptr) const;
};

// Maps hidden vectors to logits over the vocabulary: BERT's dense layer, GELU and norm, then a
// projection with a bias, which shares the embedding table if tied. Without `transform`, only the
// projection.
struct MaskedHead {
  std::optional<Linear> dense;
  std::optional<Norm> norm;
  OutputProjection output;

  MaskedHead(const Path& at, const Encoder& encoder, bool tied, bool transform);

  // hidden [tokens, d_model] -> [tokens, d_model], the input of the projection
  Tensor transformed(const Tensor& hidden) const;
};

struct MaskedLmOptions {
  EncoderOptions encoder;
  bool tied = true;
  bool transform = true;
  bool operator==(const MaskedLmOptions&) const = default;
};

// An encoder that is trained to predict masked tokens from the others.
struct MaskedLm {
  MaskedLmOptions options;
  Encoder encoder;
  MaskedHead head;

  MaskedLm(const Path& at, const MaskedLmOptions& options);

  // The logits [rows, vocabulary] of the tokens at these rows.
  Tensor logits(std::span<const int32_t> ids, const Segments& segments,
                std::span<const int32_t> rows, Mode mode) const;

  // The summed loss of the tokens expected[i] at rows[i].
  TokenLoss loss(std::span<const int32_t> ids, const Segments& segments,
                 std::span<const int32_t> rows, std::span<const int32_t> expected,
                 real label_smoothing, Mode mode, real agreement = 0) const;
};

}  // namespace calque
