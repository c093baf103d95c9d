#pragma once
// A decoder-only Transformer with memory for its parameters, ready to be trained or loaded.

#include "core/parameters.h"
#include "nn/language_model.h"

namespace calque {

struct LanguageModelNetwork {
  explicit LanguageModelNetwork(const LanguageModelOptions& options)
      : model(Path(parameters), options) {
    parameters.allocate();
  }
  LanguageModelNetwork(const LanguageModelNetwork&) = delete;
  LanguageModelNetwork& operator=(const LanguageModelNetwork&) = delete;

  Parameters parameters;  // before the model, whose constructor fills it
  LanguageModel model;
};

}  // namespace calque
