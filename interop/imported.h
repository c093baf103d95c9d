#pragma once
// The result of an import: a config, the tokenizers, and a function that fills the model that the
// config describes.

#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "data/images/fit.h"
#include "data/tokenizers/tokenizer.h"
#include "nn/models/classification_head.h"
#include "nn/models/encoder.h"
#include "nn/models/language_model.h"
#include "nn/models/transformer.h"
#include "nn/models/vision.h"
#include "train/config/config.h"

namespace calque {

struct ImportedTranslator {
  Config config;
  Tokenizer source, target;
  // Requires the model of the config and the tokenizers, with memory for its parameters. Throws an
  // Error if tensors are missing, of another shape, or left over.
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

struct ImportedClassifier {
  Config config;
  Tokenizer tokenizer;
  std::vector<std::string> labels;  // sorted
  std::function<void(const Classifier&)> fill;
};

struct ImportedImageModel {
  Config config;
  ImageFit fit;
  std::vector<std::string> labels;  // sorted
  std::vector<double> mean;         // [channels], subtracted from pixels between 0 and 1
  std::vector<double> deviation;    // [channels], divides the differences
  std::function<void(const VisionTransformer&)> fill;
};

using Imported = std::variant<ImportedTranslator, ImportedLanguageModel, ImportedMaskedLm,
                              ImportedClassifier, ImportedImageModel>;

// A config with the defaults for fine-tuning, such as a small constant learning rate.
Config fine_tuning_config(TaskKind task);

}  // namespace calque
