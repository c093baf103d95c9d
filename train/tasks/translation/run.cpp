#include "train/tasks/translation/run.h"

#include "core/error.h"

namespace calque {

TranslationModel::Options options_of(const Config& config, const Tokenizers& tokenizers) {
  return {config.model, tokenizers.source.size(), tokenizers.target.size()};
}

TranslationRun open_translation_run(const RunPlace& place) {
  return open_run_of<TranslationRun>(TaskKind::translation, place, [](TranslationRun& run) {
    run.tokenizers = open_translation_tokenizers(run.config, run.folder, {});
    return std::pair(options_of(run.config, run.tokenizers), run.tokenizers.hash());
  });
}

std::vector<TranslationRun> open_translation_runs(const std::vector<RunPlace>& places) {
  std::vector<TranslationRun> runs;
  for (const RunPlace& place : places) {
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
