#pragma once
// The data, tokenizer and model of a small run of each task; a test adds `training` and `logging`.

namespace calque {

inline constexpr const char* small_translation = R"(
data:
  train: {toy: reverse, pairs: 400, longest: 6}
  validation: {toy: reverse, pairs: 20, longest: 6}
tokenizer: {kind: words}
model: {d_model: 16, d_ff: 32, heads: 2, encoder_layers: 1, decoder_layers: 1}
)";

inline constexpr const char* small_recurrent = R"(
data:
  train: {toy: reverse, pairs: 400, longest: 6}
  validation: {toy: reverse, pairs: 20, longest: 6}
tokenizer: {kind: words}
model: {kind: rnn, d_model: 16, hidden: 12}
)";

inline constexpr const char* small_language_model = R"(
task: language-model
data:
  train: {toy: toy-text, pairs: 60}
  validation: {toy: toy-text, pairs: 8}
  context: 32
tokenizer: {kind: characters}
model: {d_model: 16, d_ff: 32, heads: 2, layers: 1}
)";

inline constexpr const char* small_experts = R"(
task: language-model
data:
  train: {toy: toy-text, pairs: 60}
  validation: {toy: toy-text, pairs: 8}
  context: 32
tokenizer: {kind: characters}
model: {d_model: 16, d_ff: 32, heads: 2, layers: 1, experts: {count: 4, active: 2, width: 16}}
)";

inline constexpr const char* small_sparse = R"(
task: language-model
data:
  train: {toy: toy-text, pairs: 60}
  validation: {toy: toy-text, pairs: 8}
  context: 32
tokenizer: {kind: characters}
model:
  {d_model: 16, d_ff: 32, heads: 2, layers: 2, attention_dropout: 0.1,
   attention: {window: 3, dilation: 2, dilated_from: 1, global: 1, random: 1, block: 4}}
)";

inline constexpr const char* small_sparse_classification = R"(
task: classification
data:
  train: {toy: toy-en-de, pairs: 200}
  validation: {toy: toy-en-de, pairs: 10}
  context: 32
tokenizer: {kind: words}
model:
  {d_model: 16, d_ff: 32, heads: 2, layers: 1,
   attention: {window: 2, global: 1, random: 1, block: 2}}
)";

inline constexpr const char* small_masked_lm = R"(
task: masked-lm
data:
  train: {toy: toy-text, pairs: 60}
  validation: {toy: toy-text, pairs: 8}
  context: 32
tokenizer: {kind: characters}
model: {d_model: 16, d_ff: 32, heads: 2, layers: 1}
)";

inline constexpr const char* small_classification = R"(
task: classification
data:
  train: {toy: toy-en-de, pairs: 200}
  validation: {toy: toy-en-de, pairs: 10}
  context: 32
tokenizer: {kind: words}
model: {d_model: 16, d_ff: 32, heads: 2, layers: 1}
)";

inline constexpr const char* small_word2vec = R"(
task: word2vec
data:
  train: {toy: toy-analogies, pairs: 200}
  validation: {toy: toy-analogies, pairs: 20}
  context: 32
model: {d_model: 16}
)";

inline constexpr const char* small_images = R"(
task: images
data:
  train: {toy: shapes, pairs: 200}
  validation: {toy: shapes, pairs: 20}
augment: {shift: 1, flip: true, rotate: 5, erase: 0.2}
model: {patch: 4, d_model: 16, d_ff: 32, heads: 2, layers: 1}
)";

}  // namespace calque
