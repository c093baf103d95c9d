#pragma once
// Trained word vectors in use, with the weights of one checkpoint.

#include <string>

#include "nn/models/word2vec.h"
#include "train/tasks/text/run.h"

namespace calque {

using Word2VecRun = TextRun<Word2Vec>;

inline Word2VecOptions word2vec_options(const Config& config, int64_t vocabulary) {
  return {.vocabulary = vocabulary, .d_model = config.model.d_model};
}

// Throws Error for a run of another task.
inline Word2VecRun open_word2vec_run(const RunPlace& place) {
  return open_text_run<Word2Vec>(TaskKind::word2vec, place, word2vec_options);
}

}  // namespace calque
