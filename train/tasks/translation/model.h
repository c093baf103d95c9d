#pragma once
// The model that model.kind names.

#include <variant>

#include "nn/models/translator.h"
#include "train/config/config.h"

namespace calque {

class TranslationModel {
 public:
  struct Options {
    ModelConfig model;
    int64_t source_vocabulary = 0, target_vocabulary = 0;
  };

  // Throws an Error if the options are invalid.
  TranslationModel(const Path& root, const Options& options);

  Translator translator() const {
    return std::visit([](const auto& model) { return Translator(model); }, model_);
  }

  const Options options;

 private:
  const std::variant<Transformer, RecurrentTranslator> model_;
};

}  // namespace calque
