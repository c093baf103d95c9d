#pragma once
// What an import finds: a config, the tokenizers, and how to fill the model that the config
// describes.

#include <functional>
#include <variant>

#include "data/tokenizer.h"
#include "nn/encoder.h"
#include "nn/language_model.h"
#include "nn/transformer.h"
#include "train/config/config.h"

namespace calque {

struct ImportedTranslator {
  Config config;
  Tokenizer source, target;
  // Requires the model of the config and the tokenizers, with memory. Throws an Error if tensors
  // are missing, of another shape, or left over.
  std::function<void(const Transformer&)> fill;
};

struct ImportedLanguageModel {
  Config config;
  Tokenizer tokenizer;
  std::function<void(const LanguageModel&)> fill;
};

struct ImportedMaskedLm {
  Config config;
  Tokenizer tokenizer;
  std::function<void(const MaskedLm&)> fill;
};

using Imported = std::variant<ImportedTranslator, ImportedLanguageModel, ImportedMaskedLm>;

// A config with defaults for training on from given weights: a small constant learning rate.
Config fine_tuning_config(TaskKind task);

}  // namespace calque
