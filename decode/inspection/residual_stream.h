#pragma once
// The residual stream of a language model: one vector for each token, to which the layers add.
// State 0 holds the embeddings with their positions, state n what layer n has made of state n - 1.
// Inspections read these states, or run the rest of the model from changed ones.

#include <cstdint>
#include <span>
#include <vector>

#include "core/segments.h"
#include "core/tensor.h"
#include "decode/inspection/inspection.h"
#include "nn/models/language_model.h"

namespace calque {

struct HeadPlace {
  int64_t layer = 0, head = 0;  // from 0
};

// Adds a vector to a state of every token.
struct Push {
  int64_t state = 0;
  Tensor vector;  // [d_model]
};

struct Edits {
  std::vector<HeadPlace> without = {};  // heads whose output, before the projection, is zero
  std::vector<Push> pushes = {};
};

// `count` texts of `tokens` tokens each.
Segments equal_texts(int64_t count, int64_t tokens);

// Factors of a layer's heads, [heads * head size]: 0 for the heads without output, 1 for others.
// Absent if all have output.
Tensor head_factors(const LanguageModel& model, int64_t layer, std::span<const HeadPlace> without);

// The next state [tokens, d_model]. The heads' outputs, before their projection, are multiplied by
// the factors: [heads * head size] or one such row for each token.
Tensor after_layer(const SelfAttentionLayer& layer, const Tensor& state, const Segments& segments,
                   const Tensor& head_factors = {});

// The last state, from state `from` of the same tokens.
Tensor last_state(const LanguageModel& model, Tensor state, int64_t from, const Segments& segments);

// All states of a text, one more than there are layers.
std::vector<Tensor> residual_states(const LanguageModel& model, std::span<const int32_t> ids,
                                    const Edits& edits = {});

// The logits [rows, vocabulary] that the model's output gives for rows of a state.
Tensor logits_of(const LanguageModel& model, const Tensor& state);
// The same as log-probabilities.
Tensor read_out(const LanguageModel& model, const Tensor& state);

// The last row of each text.
Tensor ends_of(const Tensor& state, const Segments& segments);

// Row `row` of log-probabilities.
std::span<const real> row_of(const Tensor& log_probabilities, int64_t row);

// The most probable tokens of a row of log-probabilities.
std::vector<LikelyToken> most_likely(std::span<const real> log_probabilities, int64_t count);

// The most probable tokens of both rows of log-probabilities, descending by `after`.
std::vector<ChangedToken> changed_tokens(std::span<const real> before, std::span<const real> after);

// How many texts of `tokens` tokens fit into one pass over several.
int64_t texts_at_once(int64_t tokens);

}  // namespace calque
