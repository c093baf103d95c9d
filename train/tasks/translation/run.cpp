#include "train/tasks/translation/run.h"

#include "core/error.h"
#include "train/tasks/translation/shortlist_file.h"

namespace calque {

TranslationModel::Options options_of(const Config& config, const Tokenizers& tokenizers) {
  return {config.model, tokenizers.source.size(), tokenizers.target.size()};
}

TranslationRun open_translation_run(const RunPlace& place,
                                    const std::optional<LanguageChoice>& languages) {
  TranslationRun run =
      open_run_of<TranslationRun>(TaskKind::translation, place, [](TranslationRun& opened) {
        opened.tokenizers = open_translation_tokenizers(opened.config, opened.folder, {});
        return std::pair(options_of(opened.config, opened.tokenizers), opened.tokenizers.hash());
      });
  run.shortlist = stored_shortlist(run.folder, run.tokenizers);
  return languages ? translating(std::move(run), *languages) : run;
}

TranslationRun translating(TranslationRun run, const LanguageChoice& languages) {
  run.languages = chosen_languages(run.config, run.tokenizers.source, languages, run.folder.path);
  if (run.config.data.multilingual) {
    run.tokenizers.before_source = run.tokenizers.marked(language_token(run.languages.target));
  }
  return run;
}

std::vector<TranslationRun> open_translation_runs(const std::vector<RunPlace>& places,
                                                  const std::optional<LanguageChoice>& languages) {
  std::vector<TranslationRun> runs;
  for (const RunPlace& place : places) {
    runs.push_back(open_translation_run(place, languages));
    if (runs.back().tokenizers.hash() != runs.front().tokenizers.hash()) {
      fail("{}: its vocabulary differs from that of {}; an ensemble needs one vocabulary",
           runs.back().folder.path, runs.front().folder.path);
    }
  }
  return runs;
}

std::vector<TranslationRun> translating(std::vector<TranslationRun> runs,
                                        const LanguageChoice& languages) {
  for (TranslationRun& run : runs) run = translating(std::move(run), languages);
  return runs;
}

std::vector<Translator> models_of(const std::vector<TranslationRun>& runs) {
  std::vector<Translator> models;
  models.reserve(runs.size());
  for (const TranslationRun& run : runs) models.push_back(run.model());
  return models;
}

}  // namespace calque
