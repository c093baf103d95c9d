#pragma once
// A trained translator in use: the tokenizers and the model of a run, with the weights of one of
// its checkpoints.

#include <memory>
#include <string>
#include <vector>

#include "nn/transformer.h"
#include "train/tasks/task_model.h"
#include "train/tasks/translation/tokenizers.h"
#include "train/trained_run.h"

namespace calque {

struct TranslationRun {
  RunFolder folder;
  Config config;
  Tokenizers tokenizers;
  std::unique_ptr<TaskModel<Transformer>> network;
  std::string checkpoint;  // the folder that the weights are from
  int64_t step = 0;        // how far it was trained

  const Transformer& model() const { return network->model; }
};

// Throws Error for a run of another task.
TranslationRun open_translation_run(const std::string& place);

// Runs that translate together, whose vocabularies have to be the same.
std::vector<TranslationRun> open_translation_runs(const std::vector<std::string>& places);
std::vector<const Transformer*> models_of(const std::vector<TranslationRun>& runs);

}  // namespace calque
