#pragma once
// A trained language model, with the weights of one of its checkpoints.

#include <memory>
#include <string>

#include "data/tokenizers/tokenizer.h"
#include "nn/models/language_model.h"
#include "train/tasks/task_model.h"
#include "train/weights/trained_run.h"

namespace calque {

struct LanguageModelRun {
  RunFolder folder;
  Config config;
  Tokenizer tokenizer;
  std::unique_ptr<TaskModel<LanguageModel>> network;
  std::string checkpoint;  // the folder of the weights
  int64_t step = 0;        // of the checkpoint

  const LanguageModel& model() const { return network->model; }
};

// Throws Error for a run of another task.
LanguageModelRun open_language_model_run(const std::string& place);

}  // namespace calque
