#include "train/tasks/word2vec/run.h"

#include "train/tasks/text/tokenizer.h"

namespace calque {

Word2VecOptions word2vec_options(const Config& config, int64_t vocabulary) {
  return {.vocabulary = vocabulary, .d_model = config.model.d_model};
}

Word2VecRun open_word2vec_run(const std::string& place) {
  const RunLocation found = find_run(place, TaskKind::word2vec);
  Word2VecRun run;
  run.config = found.config;
  run.tokenizer = open_text_tokenizer(run.config, found.folder, {TaskStart::Purpose::use});
  run.network =
      std::make_unique<TaskModel<Word2Vec>>(word2vec_options(run.config, run.tokenizer.size()));
  const LoadedWeights loaded =
      load_weights(found, run.network->parameters, hash_of({run.tokenizer}));
  run.checkpoint = loaded.checkpoint;
  run.step = loaded.step;
  return run;
}

}  // namespace calque
