#pragma once
// A trained translator: the tokenizers and the model of a run, with the weights of a checkpoint.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "decode/shortlist.h"
#include "train/tasks/opened_run.h"
#include "train/tasks/translation/languages.h"
#include "train/tasks/translation/model.h"
#include "train/tasks/translation/tokenizers.h"

namespace calque {

struct TranslationRun : OpenedRun<TranslationModel> {
  Tokenizers tokenizers;
  LanguagePair languages;                      // the source is empty if it is not known
  std::shared_ptr<const Shortlist> shortlist;  // null if the run has none

  Translator model() const { return network->model.translator(); }
};

TranslationModel::Options options_of(const Config& config, const Tokenizers& tokenizers);

// Opens a run to translate between these languages, or to choose them later with translating().
// Throws Error for a run of another task, and for languages that it does not know.
TranslationRun open_translation_run(
    const RunPlace& place, const std::optional<LanguageChoice>& languages = LanguageChoice());

// The run, to translate between these languages. Shares the model.
TranslationRun translating(TranslationRun run, const LanguageChoice& languages);

// Opens the runs of an ensemble. Throws Error unless they have the same vocabularies.
std::vector<TranslationRun> open_translation_runs(
    const std::vector<RunPlace>& places,
    const std::optional<LanguageChoice>& languages = LanguageChoice());
std::vector<TranslationRun> translating(std::vector<TranslationRun> runs,
                                        const LanguageChoice& languages);
std::vector<Translator> models_of(const std::vector<TranslationRun>& runs);

}  // namespace calque
