#pragma once
// The data, tokenizer and model of a small run of each task; a test adds `training` and `logging`.

#include <string>

namespace calque {

// The data and the tokenizer of tasks that have several models.
inline const std::string small_pair_data = R"(
data:
  train: {toy: reverse, pairs: 400, longest: 6}
  validation: {toy: reverse, pairs: 20, longest: 6}
tokenizer: {kind: words}
)";

inline const std::string small_text = R"(
data:
  train: {toy: toy-text, pairs: 60}
  validation: {toy: toy-text, pairs: 8}
  context: 32
tokenizer: {kind: characters}
)";

inline const std::string small_labelled = R"(
task: classification
data:
  train: {toy: toy-en-de, pairs: 200}
  validation: {toy: toy-en-de, pairs: 10}
  context: 32
tokenizer: {kind: words}
)";

inline const std::string small_translation = small_pair_data + R"(
model: {d_model: 16, d_ff: 32, heads: 2, encoder_layers: 1, decoder_layers: 1}
)";

// Three languages in four directions, more often the small corpus.
inline const std::string small_multilingual = R"(
data:
  multilingual: true
  temperature: 3
  languages: [a, b]
  train:
    - {toy: reverse, pairs: 300, longest: 6, directions: both}
    - {toy: copy, pairs: 60, longest: 6, languages: [a, c], directions: both}
  validation:
    - {toy: reverse, pairs: 12, longest: 6}
    - {toy: copy, pairs: 8, longest: 6, languages: [a, c], directions: backward}
tokenizer: {kind: words}
model: {d_model: 16, d_ff: 32, heads: 2, encoder_layers: 1, decoder_layers: 1}
)";

inline const std::string small_recurrent = small_pair_data + R"(
model: {kind: rnn, d_model: 16, hidden: 12}
)";

inline const std::string small_language_model = "task: language-model" + small_text + R"(
model: {d_model: 16, d_ff: 32, heads: 2, layers: 1}
)";

inline const std::string small_experts = "task: language-model" + small_text + R"(
model: {d_model: 16, d_ff: 32, heads: 2, layers: 1, experts: {count: 4, active: 2, width: 16}}
)";

inline const std::string small_sparse = "task: language-model" + small_text + R"(
model:
  {d_model: 16, d_ff: 32, heads: 2, layers: 2, attention_dropout: 0.1,
   attention: {window: 3, dilation: 2, dilated_from: 1, global: 1, random: 1, block: 4}}
)";

inline const std::string small_masked_lm = "task: masked-lm" + small_text + R"(
model: {d_model: 16, d_ff: 32, heads: 2, layers: 1}
)";

inline const std::string small_classification = small_labelled + R"(
model: {d_model: 16, d_ff: 32, heads: 2, layers: 1}
)";

inline const std::string small_tagging = R"(
task: tagging
data:
  train: {toy: toy-en-de, pairs: 200}
  validation: {toy: toy-en-de, pairs: 10}
  context: 32
tokenizer: {kind: words}
model: {d_model: 16, d_ff: 32, heads: 2, layers: 1}
)";

inline const std::string small_sparse_classification = small_labelled + R"(
model:
  {d_model: 16, d_ff: 32, heads: 2, layers: 1,
   attention: {window: 2, global: 1, random: 1, block: 2}}
)";

inline const std::string small_word2vec = R"(
task: word2vec
data:
  train: {toy: toy-analogies, pairs: 200}
  validation: {toy: toy-analogies, pairs: 20}
  context: 32
model: {d_model: 16}
)";

inline const std::string small_images = R"(
task: images
data:
  train: {toy: shapes, pairs: 200}
  validation: {toy: shapes, pairs: 20}
augment: {shift: 1, flip: true, rotate: 5, erase: 0.2}
model: {patch: 4, d_model: 16, d_ff: 32, heads: 2, layers: 1}
)";

}  // namespace calque
