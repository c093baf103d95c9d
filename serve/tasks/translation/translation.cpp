// The translators of a server, and the detector that learns their languages.
#include <algorithm>

#include "core/error.h"
#include "serve/served_task.h"
#include "train/tasks/data_settings.h"
#include "train/tasks/translation/confidence/confidence.h"
#include "train/tasks/translation/sentence_words.h"
#include "train/tasks/translation/settings.h"

namespace calque {

extern const std::string_view serve_translate_js;

namespace {

// Trains the detector on the first texts of each validation corpus, or of each training corpus.
void learn_languages(LanguageDetector& detector, const TranslationRun& run) {
  constexpr int64_t rows = 2000, bytes = 400'000;
  const DataConfig& data = run.config.data;
  const bool has_validation = !data.validation.empty();
  const Corpora& corpora = has_validation ? data.validation : data.train;
  const std::vector<LanguagePair> pairs = language_pairs(corpora);
  const auto [from, to] = languages_of(run.config);
  try {
    for (const CorpusSource& source :
         corpus_sources(corpora, data, has_validation ? Split::validation : Split::train)) {
      const Corpus corpus(source);
      const RowBlock block = corpus.read(0, rows, bytes);
      const LanguagePair pair = source.pair.empty()
                                    ? LanguagePair{from, to}
                                    : *std::ranges::find(pairs, source.pair, &LanguagePair::name);
      for (int64_t i = 0; i < block.rows(); ++i) {
        const std::span<const Line> row = block.row(i);
        if (!is_text(row[0]) || !is_text(row[1])) continue;
        detector.learn(pair.source, row[0].text);
        detector.learn(pair.target, row[1].text);
      }
    }
  } catch (const Error&) {  // the corpora of a run may be missing
  }
}

void open_translator(ServedRuns& runs, const RunPlace& place, const std::string& name) {
  const TranslationRun run = open_translation_run(place, std::nullopt);
  learn_languages(runs.detector, run);
  for (const LanguagePair& pair : pairs_of_run(run.config, run.tokenizers.source)) {
    ServedTranslator served{.name = run.config.data.multilingual ? name + ":" + pair.name() : name,
                            .source = pair.source,
                            .target = pair.target,
                            .run = translating(run, {pair.source, pair.target}),
                            .options = text_search(run.config.decoding)};
    served.splitter = source_splitter(served.run);
    served.calibration = stored_calibration(served.run);
    limit_sources(served.run, served.options);
    served.forces_terms = run.config.decoding.force_terms;
    runs.translators.push_back(std::move(served));
  }
}

std::vector<DescribedRun> describe_translators(const ServedRuns& runs) {
  std::vector<DescribedRun> all;
  for (const ServedTranslator& each : runs.translators) {
    all.push_back({{{"name", each.name},
                    {"source", each.source},
                    {"target", each.target},
                    {"confidence", each.calibration.has_value()}},
                   fmt::format("{}: {} to {}", each.name, each.source, each.target)});
  }
  return all;
}

constexpr KnownRoute translation_routes[] = {
    {"POST", "/translate", answer_translate},   {"GET", "/translate", answer_translate},
    {"POST", "/score", answer_score},           {"POST", "/align", answer_align},
    {"POST", "/confidence", answer_confidence},
};

}  // namespace

void set_glossary(ServedRuns& runs, const std::string& given) {
  std::vector<ServedTranslator>& all = runs.translators;
  const size_t equal = given.find('=');
  auto chosen = all.begin();
  if (equal != given.npos) {
    chosen = std::ranges::find(all, given.substr(0, equal), &ServedTranslator::name);
    if (chosen == all.end()) fail("--glossary {}: no translator has this name", given);
  } else if (all.size() != 1) {
    fail("--glossary {}: there are {} translators; name one, NAME={}", given, all.size(), given);
  }
  const std::string path = equal == given.npos ? given : given.substr(equal + 1);
  chosen->options.terms =
      term_use(std::span(&chosen->run, 1), std::make_shared<const Glossary>(read_glossary(path)),
               chosen->forces_terms);
}

std::vector<std::vector<std::string>> translations(
    const ServedTranslator& by, TextSearch options, int64_t count,
    std::span<const std::vector<int32_t>> sentences) {
  options.n_best = count;
  options.beam = std::max(options.beam, count);
  const Translator models[] = {by.run.model()};
  std::vector<std::vector<std::string>> texts;
  for (const FoundTranslations& found :
       search_sources(models, by.run.tokenizers, {sentences.begin(), sentences.end()}, options)) {
    std::vector<std::string>& own = texts.emplace_back();
    for (const Hypothesis& each : found.best) {
      own.push_back(by.run.tokenizers.target.decode(each.ids));
    }
  }
  return texts;
}

extern const ServedTask served_translation;
const ServedTask served_translation = {
    .task = TaskKind::translation,
    .list = "translators",
    .open = open_translator,
    .describe = describe_translators,
    .routes = translation_routes,
    .scripts = {&serve_translate_js},
};

}  // namespace calque
