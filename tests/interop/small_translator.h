#pragma once
// A translator of words with random weights.

#include <initializer_list>
#include <utility>

#include "interop/export_to.h"

namespace calque {

// A tokenizer of words whose vocabulary has these words after the special symbols.
inline Tokenizer tokenizer_of(std::initializer_list<const char*> words) {
  SymbolModel model;
  for (const char* word : words) model.vocabulary.add(word);
  return {std::move(model), {.kind = TokenizerKind::words}};
}

struct SmallTranslator {
  Config config;
  Tokenizer tokenizer = tokenizer_of({"eins", "zwei", "drei"});
  Parameters parameters;
  Transformer model;

  explicit SmallTranslator(const TransformerOptions& options) : model(Path(parameters), options) {
    static_cast<LayerOptions&>(config.model) = options.layer;
    config.model.source_end = options.source_end;
    config.tokenizer.kind = TokenizerKind::words;
    parameters.allocate();
    parameters.initialise(7);
  }
  SmallTranslator(const SmallTranslator&) = delete;
  SmallTranslator& operator=(const SmallTranslator&) = delete;

  RunParts parts() const { return {config, {tokenizer}}; }
};

inline TransformerOptions small_options() {
  TransformerOptions options;
  options.layer = {.d_model = 8, .d_ff = 12, .heads = 2, .max_positions = 16};
  options.source_vocabulary = options.target_vocabulary = 6;
  options.encoder_layers = options.decoder_layers = 1;
  return options;
}

}  // namespace calque
