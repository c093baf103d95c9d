#pragma once
// A trained language model in use, with the weights of one of its checkpoints.

#include <memory>
#include <string>

#include "data/tokenizer.h"
#include "nn/language_model.h"
#include "train/tasks/task_model.h"
#include "train/trained_run.h"

namespace calque {

struct LanguageModelRun {
  RunFolder folder;
  Config config;
  Tokenizer tokenizer;
  std::unique_ptr<TaskModel<LanguageModel>> network;
  std::string checkpoint;  // the folder that the weights are from
  int64_t step = 0;        // how far it was trained

  const LanguageModel& model() const { return network->model; }
};

// Throws Error for a run of another task.
LanguageModelRun open_language_model_run(const std::string& place);

}  // namespace calque
