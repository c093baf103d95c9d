#pragma once
// A trained classifier in use, with the weights of one of its checkpoints.

#include <memory>
#include <string>

#include "nn/models/classification_head.h"
#include "train/tasks/classification/data.h"
#include "train/tasks/task_model.h"
#include "train/weights/trained_run.h"

namespace calque {

struct ClassificationRun {
  Config config;
  Tokenizer tokenizer;
  Labels labels;
  std::unique_ptr<TaskModel<Classifier>> network;
  std::string checkpoint;
  int64_t step = 0;

  const Classifier& model() const { return network->model; }
};

// Throws Error for a run of another task.
ClassificationRun open_classification_run(const std::string& place);

ClassifierOptions classifier_options(const Config& config, int64_t vocabulary, int64_t classes);

}  // namespace calque
