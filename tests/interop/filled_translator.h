#pragma once
// An imported translator: the model of its config, filled with the imported weights.

#include <utility>

#include "interop/model.h"

namespace calque {

struct FilledTranslator {
  Imported<Transformer> from;
  Parameters parameters;
  Transformer model;

  static TransformerOptions options_of(const Imported<Transformer>& from) {
    const ModelConfig& config = from.config.model;
    return {.layer = config,
            .source_vocabulary = from.source().size(),
            .target_vocabulary = from.target().size(),
            .encoder_layers = config.encoder_layers,
            .decoder_layers = config.decoder_layers,
            .tying = config.tied,
            .decoder_start = config.decoder_start,
            .source_end = config.source_end,
            .output_bias = config.output_bias};
  }
  explicit FilledTranslator(Imported<Transformer> imported)
      : from(std::move(imported)), model(Path(parameters), options_of(from)) {
    parameters.allocate();
    from.fill(model);
  }
};

}  // namespace calque
