#pragma once
// A trained classifier in use, with the weights of one of its checkpoints.

#include <string>

#include "nn/models/classification_head.h"
#include "train/tasks/classification/data.h"
#include "train/tasks/opened_run.h"

namespace calque {

struct ClassificationRun : OpenedRun<Classifier> {
  Tokenizer tokenizer;
  Labels labels;
};

// Throws Error for a run of another task.
ClassificationRun open_classification_run(const std::string& place);

ClassifierOptions classifier_options(const Config& config, int64_t vocabulary, int64_t classes);

}  // namespace calque
