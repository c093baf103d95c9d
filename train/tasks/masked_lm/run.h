#pragma once
// A trained masked language model in use, with the weights of one of its checkpoints.

#include <memory>
#include <string>

#include "data/tokenizers/tokenizer.h"
#include "nn/models/encoder.h"
#include "train/tasks/task_model.h"
#include "train/weights/trained_run.h"

namespace calque {

struct MaskedLmRun {
  Config config;
  Tokenizer tokenizer;
  std::unique_ptr<TaskModel<MaskedLm>> network;
  std::string checkpoint;
  int64_t step = 0;

  const MaskedLm& model() const { return network->model; }
};

// Throws Error for a run of another task.
MaskedLmRun open_masked_lm_run(const std::string& place);

MaskedLmOptions masked_lm_options(const Config& config, int64_t vocabulary);

}  // namespace calque
