#include "train/tasks/translation/run.h"

#include "core/error.h"

namespace calque {

TranslationRun open_translation_run(const std::string& place) {
  const RunLocation found = find_run(place, TaskKind::translation);
  TranslationRun run;
  run.folder = found.folder;
  run.config = found.config;
  run.tokenizers = open_translation_tokenizers(run.config, run.folder, {TaskStart::Purpose::use});
  run.network = std::make_unique<TranslationModel>(run.config.model, run.tokenizers.source.size(),
                                                   run.tokenizers.target.size());
  const LoadedWeights loaded = load_weights(found, run.network->parameters, run.tokenizers.hash());
  run.checkpoint = loaded.checkpoint;
  run.step = loaded.step;
  return run;
}

std::vector<TranslationRun> open_translation_runs(const std::vector<std::string>& places) {
  std::vector<TranslationRun> runs;
  for (const std::string& place : places) {
    runs.push_back(open_translation_run(place));
    if (runs.back().tokenizers.hash() != runs.front().tokenizers.hash()) {
      fail("{}: its vocabulary differs from that of {}; an ensemble needs one vocabulary",
           runs.back().folder.path, runs.front().folder.path);
    }
  }
  return runs;
}

std::vector<Translator> models_of(const std::vector<TranslationRun>& runs) {
  std::vector<Translator> models;
  models.reserve(runs.size());
  for (const TranslationRun& run : runs) models.push_back(run.model());
  return models;
}

}  // namespace calque
