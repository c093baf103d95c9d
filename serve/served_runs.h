#pragma once
// The runs that a server offers: translators by their languages, language models and classifiers by
// the names of their folders.

#include <memory>
#include <string>
#include <vector>

#include "serve/language_detector.h"
#include "train/tasks/classification/classification_run.h"
#include "train/tasks/language_model/language_model_run.h"
#include "train/tasks/translation/settings.h"
#include "train/tasks/translation/translation_run.h"

namespace calque {

struct ServedTranslator {
  std::string name, source, target;  // the folder's name, and the codes of the languages
  TranslationRun run;
  TranslationOptions options;  // as `decoding` of its config says
};

struct ServedLanguageModel {
  std::string name;
  LanguageModelRun run;
};

struct ServedClassifier {
  std::string name;
  ClassificationRun run;
};

struct ServedRuns {
  std::vector<ServedTranslator> translators;
  std::vector<ServedLanguageModel> language_models;
  std::vector<ServedClassifier> classifiers;
  // Knows the languages of those translators whose texts (data.validation, or else data.train) can
  // still be read.
  LanguageDetector detector;

  // The first of those languages, or null.
  const ServedTranslator* translator(const std::string& source, const std::string& target) const;
};

// Throws an Error for a run of another task, and for two runs of the same name.
ServedRuns open_served_runs(const std::vector<std::string>& places);

// The translations of each sentence, which are its tokens, best first: those of `calque translate`.
std::vector<std::vector<std::string>> translations(const ServedTranslator& by, int64_t count,
                                                   std::span<const std::vector<int32_t>> sentences);

}  // namespace calque
