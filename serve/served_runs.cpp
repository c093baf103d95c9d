#include "serve/served_runs.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "core/error.h"
#include "train/config/tasks.h"
#include "train/tasks/data_settings.h"
#include "train/tasks/translation/search.h"

namespace calque {
namespace {

std::string name_of_run(const std::string& folder) {
  const std::filesystem::path path = std::filesystem::absolute(folder).lexically_normal();
  return (path.has_filename() ? path : path.parent_path()).filename().string();
}

// Returns data.languages or, without them, those of the first toy language in data.train, or
// "src" and "tgt".
std::pair<std::string, std::string> languages_of(const Config& config) {
  const std::vector<std::string>& languages = config.data.languages;
  if (languages.size() == 2) return {languages[0], languages[1]};
  for (const CorpusConfig& corpus : config.data.train) {
    if (corpus.toy == CorpusConfig::Toy::none) continue;
    const ToyLanguage toy = toy_language(corpus);
    return {toy.source_language(), toy.target_language()};
  }
  return {"src", "tgt"};
}

// Trains the detector on the first texts of each validation corpus, or of each training corpus.
void learn_languages(LanguageDetector& detector, const ServedTranslator& served) {
  constexpr int64_t rows = 2000, bytes = 400'000;
  const DataConfig& data = served.run.config.data;
  const bool has_validation = !data.validation.empty();
  try {
    for (const CorpusSource& source :
         corpus_sources(has_validation ? data.validation : data.train, data,
                        has_validation ? Split::validation : Split::train)) {
      const Corpus corpus(source);
      const RowBlock block = corpus.read(0, rows, bytes);
      for (int64_t i = 0; i < block.rows(); ++i) {
        const std::span<const Line> row = block.row(i);
        if (!is_text(row[0]) || !is_text(row[1])) continue;
        detector.learn(served.source, row[0].text);
        detector.learn(served.target, row[1].text);
      }
    }
  } catch (const Error&) {  // the corpora of a run may be missing
  }
}

void open_translator(ServedRuns& runs, const std::string& folder, const std::string& name) {
  ServedTranslator served{
      .name = name, .source = "", .target = "", .run = open_translation_run(folder), .options = {}};
  std::tie(served.source, served.target) = languages_of(served.run.config);
  served.options = translation_options(served.run.config.decoding);
  learn_languages(runs.detector, served);
  runs.translators.push_back(std::move(served));
}

void open_language_model(ServedRuns& runs, const std::string& folder, const std::string& name) {
  runs.language_models.push_back({name, open_language_model_run(folder)});
}

void open_classifier(ServedRuns& runs, const std::string& folder, const std::string& name) {
  runs.classifiers.push_back({name, open_classification_run(folder)});
}

// The tasks whose runs are served.
struct Opener {
  TaskKind task;
  void (*open)(ServedRuns& runs, const std::string& folder, const std::string& name);
};
constexpr Opener openers[] = {{TaskKind::translation, open_translator},
                              {TaskKind::language_model, open_language_model},
                              {TaskKind::classification, open_classifier}};

}  // namespace

const ServedTranslator* ServedRuns::translator(const std::string& source,
                                               const std::string& target) const {
  const auto found = std::ranges::find_if(translators, [&](const ServedTranslator& each) {
    return each.source == source && each.target == target;
  });
  return found == translators.end() ? nullptr : &*found;
}

ServedRuns open_served_runs(const std::vector<std::string>& folders) {
  ServedRuns runs;
  std::set<std::string> names;
  for (const std::string& folder : folders) {
    const std::string name = name_of_run(folder);
    if (!names.insert(name).second) fail("{}: two runs are named {}", folder, name);
    const TaskKind task = find_run(folder).config.task;
    const auto opener = std::ranges::find(openers, task, &Opener::task);
    if (opener == std::end(openers)) {
      std::vector<TaskKind> served;
      for (const Opener& each : openers) served.push_back(each.task);
      fail("calque serve needs a run of task: {}; {} is of task: {}", names_of(served), folder,
           name_of(task_kinds, task));
    }
    opener->open(runs, folder, name);
  }
  return runs;
}

std::vector<std::vector<std::string>> translations(
    const ServedTranslator& by, int64_t count, std::span<const std::vector<int32_t>> sentences) {
  TranslationOptions options = by.options;
  options.n_best = count;
  options.beam = std::max(options.beam, count);
  const Translator models[] = {by.run.model()};
  std::vector<std::vector<std::string>> texts;
  for (const std::vector<Hypothesis>& found : search_sources(models, sentences, options)) {
    std::vector<std::string>& own = texts.emplace_back();
    for (const Hypothesis& each : found) {
      own.push_back(by.run.tokenizers.target.decode(each.ids));
    }
  }
  return texts;
}

}  // namespace calque
