#pragma once
// A Transformer with memory for its parameters, ready to be trained or loaded.

#include "core/parameters.h"
#include "nn/transformer.h"

namespace calque {

struct TranslationModel {
  explicit TranslationModel(const TransformerOptions& options)
      : transformer(Path(parameters), options) {
    parameters.allocate();
  }
  TranslationModel(const TranslationModel&) = delete;
  TranslationModel& operator=(const TranslationModel&) = delete;

  Parameters parameters;  // before the model, whose constructor fills it
  Transformer transformer;
};

}  // namespace calque
