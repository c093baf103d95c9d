#include "train/tasks/language_model/run.h"

#include "train/tasks/language_model/settings.h"
#include "train/tasks/text/tokenizer.h"

namespace calque {

LanguageModelRun open_language_model_run(const std::string& place) {
  const RunLocation found = find_run(place, TaskKind::language_model);
  LanguageModelRun run;
  run.folder = found.folder;
  run.config = found.config;
  run.tokenizer = open_text_tokenizer(run.config, run.folder, {TaskStart::Purpose::use});
  run.network = std::make_unique<TaskModel<LanguageModel>>(
      language_model_options(run.config, run.tokenizer.size()));
  const LoadedWeights loaded =
      load_weights(found, run.network->parameters, hash_of({run.tokenizer}));
  run.checkpoint = loaded.checkpoint;
  run.step = loaded.step;
  return run;
}

}  // namespace calque
