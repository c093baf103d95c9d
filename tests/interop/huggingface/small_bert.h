#pragma once
// What the tests of imported encoders share: a small BERT and its tokenizer.

#include <cmath>

#include "core/parameters.h"
#include "data/tokenizers/tokenizer.h"
#include "nn/models/encoder.h"
#include "train/config/config.h"

namespace calque {

inline Tokenizer bert_pieces(bool uncased = true) {
  WordPieceModel model;
  for (const char* piece : {"eins", "zwei", "##ei", "dr"}) model.vocabulary.add(piece);
  model.uncased = uncased;
  return {std::move(model), {.kind = TokenizerKind::word_piece, .lowercase = uncased}};
}

inline Config small_bert() {
  Config config;
  config.task = TaskKind::masked_lm;
  config.model.d_model = 4;
  config.model.d_ff = 6;
  config.model.heads = 2;
  config.model.layers = 2;
  config.model.norm_placement = NormPlacement::post;
  config.model.positions = PositionKind::learned;
  config.model.scale_embeddings = false;
  config.data.context = 5;
  config.data.lowercase = true;
  config.tokenizer.kind = TokenizerKind::word_piece;
  return config;
}

inline EncoderOptions encoder_options(const Config& config, int64_t tokens) {
  EncoderOptions options;
  options.layer = config.model;
  options.layer.max_positions = config.data.context;
  options.vocabulary = tokens + 1;  // and [MASK]
  options.layers = config.model.layers;
  options.segment_kinds = config.model.segment_embeddings ? 2 : 0;
  return options;
}

inline void fill_randomly(const Parameters& parameters) {
  real value = 0.5;
  for (real& x : parameters.values()) {
    x = value = std::fmod(value * real(1.7) + real(0.1), real(1));
  }
}

}  // namespace calque
