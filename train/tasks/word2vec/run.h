#pragma once
// Trained word vectors in use, with the weights of one checkpoint.

#include <memory>
#include <string>

#include "data/tokenizers/tokenizer.h"
#include "nn/models/word2vec.h"
#include "train/tasks/task_model.h"
#include "train/weights/trained_run.h"

namespace calque {

struct Word2VecRun {
  Config config;
  Tokenizer tokenizer;
  std::unique_ptr<TaskModel<Word2Vec>> network;
  std::string checkpoint;
  int64_t step = 0;

  const Word2Vec& model() const { return network->model; }
};

// Throws Error for a run of another task.
Word2VecRun open_word2vec_run(const std::string& place);

Word2VecOptions word2vec_options(const Config& config, int64_t vocabulary);

}  // namespace calque
