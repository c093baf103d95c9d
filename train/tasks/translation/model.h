#pragma once
// The model that model.kind names, with memory for its parameters, ready to be trained or loaded.

#include <variant>

#include "core/parameters.h"
#include "nn/models/translator.h"
#include "train/config/config.h"

namespace calque {

class TranslationModel {
 public:
  // Throws an Error if the options are invalid.
  TranslationModel(const ModelConfig& config, int64_t source_vocabulary, int64_t target_vocabulary);
  TranslationModel(const TranslationModel&) = delete;
  TranslationModel& operator=(const TranslationModel&) = delete;

  Translator translator() const {
    return std::visit([](const auto& model) { return Translator(model); }, model_);
  }

  Parameters parameters;  // declared before the model, whose constructor registers them

 private:
  const std::variant<Transformer, RecurrentTranslator> model_;
};

}  // namespace calque
