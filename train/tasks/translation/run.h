#pragma once
// A trained translator: the tokenizers and the model of a run, with the weights of a checkpoint.

#include <string>
#include <vector>

#include "train/tasks/opened_run.h"
#include "train/tasks/translation/model.h"
#include "train/tasks/translation/tokenizers.h"

namespace calque {

struct TranslationRun : OpenedRun<TranslationModel> {
  Tokenizers tokenizers;

  Translator model() const { return network->model.translator(); }
};

TranslationModel::Options options_of(const Config& config, const Tokenizers& tokenizers);

// Throws Error for a run of another task.
TranslationRun open_translation_run(const RunPlace& place);

// Opens the runs of an ensemble. Throws Error unless they have the same vocabularies.
std::vector<TranslationRun> open_translation_runs(const std::vector<RunPlace>& places);
std::vector<Translator> models_of(const std::vector<TranslationRun>& runs);

}  // namespace calque
