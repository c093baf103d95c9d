#pragma once
// The decoder-only Transformer (Radford et al. 2018, 2019: GPT): embedding and positions, a stack
// of causal self-attention layers, and the projection to the vocabulary. It predicts each token of
// a text from the tokens before it.
//
// Parameters: embedding.weight, positions.weight (learned), layers.0.self_attention.qkv.weight,
// ..., norm.gain (pre-norm), output.weight (not tied). The initial values of projections that write
// to the residual stream are scaled by 1 / sqrt(2 layers), as in GPT-2, so that the sum of the
// outputs of all sublayers is about as large as one output.

#include <span>

#include "core/ops.h"
#include "core/parameters.h"
#include "nn/layers/embedding.h"
#include "nn/layers/output_projection.h"
#include "nn/layers/positions.h"
#include "nn/mode.h"
#include "nn/models/self_attention_stack.h"
#include "nn/options.h"

namespace calque {

struct LanguageModel {
  LanguageModelOptions options;
  Embedding embedding;
  Positions positions;
  SelfAttentionStack stack;
  OutputProjection output;

  // Throws an Error if the options are invalid.
  LanguageModel(const Path& at, const LanguageModelOptions& options);

  // ids [tokens] -> hidden [tokens, d_model]. Row t of a text does not depend on its ids after t.
  // Text i starts at position starts[i], or at 0 if starts is empty; rotary attention depends
  // only on distances and ignores starts.
  Tensor hidden(std::span<const int32_t> ids, const Segments& segments, Mode mode,
                AttentionRecord* record = nullptr, std::span<const int32_t> starts = {}) const;

  // hidden [tokens, d_model] -> [tokens, vocabulary]: before the softmax.
  Tensor logits(const Tensor& hidden) const { return output(hidden); }

  // The summed loss, where expected[t] is the token after ids[t]; no_token is not part of the loss.
  // See TokenLoss for the smoothing, OutputProjection::loss for the agreement.
  TokenLoss loss(std::span<const int32_t> ids, std::span<const int32_t> expected,
                 const Segments& segments, real label_smoothing, Mode mode,
                 real agreement = 0) const;

  // The same with a teacher over the same vocabulary, which reads the same ids without dropout: see
  // distilled_cross_entropy().
  TokenLoss distilled_loss(const LanguageModel& teacher, std::span<const int32_t> ids,
                           std::span<const int32_t> expected, const Segments& segments,
                           real label_smoothing, real share, Mode mode) const;

  // The sum of the log-probabilities of the expected tokens of each text: [texts, 1]. A text
  // without expected tokens has 0.
  Tensor log_probabilities(std::span<const int32_t> ids, std::span<const int32_t> expected,
                           const Segments& segments, Mode mode) const;
};

}  // namespace calque
