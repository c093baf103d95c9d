#pragma once
// A trained translator: the tokenizers and the model of a run, with the weights of a checkpoint.

#include <memory>
#include <string>
#include <vector>

#include "train/tasks/translation/model.h"
#include "train/tasks/translation/tokenizers.h"
#include "train/weights/trained_run.h"

namespace calque {

struct TranslationRun {
  RunFolder folder;
  Config config;
  Tokenizers tokenizers;
  std::unique_ptr<TranslationModel> network;
  std::string checkpoint;  // the folder of the weights
  int64_t step = 0;        // of the checkpoint

  Translator model() const { return network->translator(); }
};

// Throws Error for a run of another task.
TranslationRun open_translation_run(const std::string& place);

// Opens the runs of an ensemble. Throws Error unless they have the same vocabularies.
std::vector<TranslationRun> open_translation_runs(const std::vector<std::string>& places);
std::vector<Translator> models_of(const std::vector<TranslationRun>& runs);

}  // namespace calque
