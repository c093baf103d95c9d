#include "train/tasks/translation/synthetic/training_corpora.h"

#include <optional>
#include <utility>

#include "core/error.h"
#include "data/files/content_hash.h"
#include "data/terms/glossary.h"
#include "train/tasks/translation/context.h"
#include "train/tasks/translation/settings.h"
#include "train/tasks/translation/synthetic/corpus.h"
#include "train/tasks/translation/terms/marked_corpora.h"
#include "train/weights/trained_run.h"

namespace calque {
namespace {

constexpr const char *run_of_back_translation = "data.back_translate.run",
                     *run_of_distillation = "data.distill.run";

bool back_translates(const DataConfig& data) { return !data.back_translate.run.empty(); }
bool distills(const DataConfig& data) { return !data.distill.run.empty(); }

// The names of the languages, if the config has them.
std::optional<std::pair<std::string, std::string>> named_languages(const Config& config) {
  const auto languages = languages_of(config);
  if (languages == languages_of(Config())) return std::nullopt;
  return languages;
}

// The languages to choose in a multilingual run. Throws an Error unless the run is a translator for
// this direction or names no languages.
LanguageChoice direction_of(const std::string& key, const std::string& run, const Config& config,
                            bool reversed) {
  Config teacher;
  try {
    teacher = find_run(run, config.task).config;
  } catch (const Error& error) {
    fail("{}: {}", key, error.what());
  }
  auto wanted = named_languages(config);
  if (wanted && reversed) std::swap(wanted->first, wanted->second);
  if (teacher.data.multilingual) {
    return wanted ? LanguageChoice{wanted->first, wanted->second} : LanguageChoice();
  }
  const auto found = named_languages(teacher);
  if (!wanted || !found || *wanted == *found) return {};
  fail("{}: {} translates from {} to {}; name a run from {} to {}", key, run, found->first,
       found->second, wanted->first, wanted->second);
}

std::vector<SyntheticCorpus> back_translations(const DataConfig& data) {
  const BackTranslation& from = data.back_translate;
  std::vector<SyntheticCorpus> corpora;
  for (const std::string& path : from.text) {
    corpora.push_back(
        {.name = "back-translation",
         .input = {AlignedFiles{{path}}, {.weight = from.weight, .epochs = from.epochs}},
         .reversed = true,
         .tag = has_tagged_sources(data) ? std::string(back_translation_tag) + " " : "",
         .invalid = data.invalid_utf8});
  }
  return corpora;
}

std::vector<SyntheticCorpus> distillations(const DataConfig& data,
                                           const std::vector<CorpusSource>& sources) {
  std::vector<SyntheticCorpus> corpora;
  for (const CorpusSource& source : sources) {
    corpora.push_back({.name = "distillation", .input = source, .invalid = data.invalid_utf8});
  }
  return corpora;
}

// The corpora that one run makes.
struct Making {
  std::string run;
  Teacher teacher;
  std::vector<SyntheticCorpus> corpora;
};

std::vector<Making> makings_of(const Config& config, const std::vector<CorpusSource>& sources) {
  const DataConfig& data = config.data;
  std::vector<Making> makings;
  if (distills(data)) {
    const Distillation& from = data.distill;
    const LanguageChoice languages = direction_of(run_of_distillation, from.run, config, false);
    makings.push_back({from.run, Teacher(from.run, from.beam, std::nullopt, languages),
                       distillations(data, sources)});
  }
  if (back_translates(data)) {
    const BackTranslation& from = data.back_translate;
    std::optional<Sampling> sampling;
    if (from.sampling) sampling = {.top_k = from.top_k};
    const LanguageChoice languages = direction_of(run_of_back_translation, from.run, config, true);
    makings.push_back({from.run,
                       Teacher(from.run, from.sampling ? 1 : from.beam, sampling, languages),
                       back_translations(data)});
  }
  return makings;
}

std::string hash_of(const std::vector<Making>& makings) {
  ContentHash hash;
  for (const Making& making : makings) {
    for (const SyntheticCorpus& corpus : making.corpora) {
      hash.add(hash_of(corpus, making.teacher));
    }
  }
  return hexadecimal(hash.value());
}

// `began` is the hash of the data in the checkpoint, which ends with that of synthetic corpora.
void require_same(const std::string& began, const std::string& synthetic) {
  const size_t end = began.find('-');
  if (end == std::string::npos || began.substr(end + 1) == synthetic) return;
  fail(
      "the runs or the texts of data.back_translate and data.distill are not those that the run "
      "began with; restore them, or start again with --fresh");
}

std::string plan_of(const DataConfig& data, const std::vector<CorpusSource>& sources) {
  std::string text;
  const auto lines_of = [](const std::vector<SyntheticCorpus>& corpora) {
    int64_t lines = 0;
    for (const SyntheticCorpus& corpus : corpora) lines += Corpus(corpus.input).size();
    return lines;
  };
  if (distills(data)) {
    text += fmt::format("; {} first translates {} lines of data.train, counted here as they are",
                        data.distill.run, lines_of(distillations(data, sources)));
  }
  if (back_translates(data)) {
    text += fmt::format("; {} first translates {} lines of text, which are not counted here",
                        data.back_translate.run, lines_of(back_translations(data)));
  }
  return text;
}

// The corpora with marked terms and with context, as the config has them.
TrainingCorpora rewritten_corpora(TrainingCorpora corpora, const Config& config,
                                  const RunFolder& run) {
  if (marks_terms(config.data)) {
    MarkedCorpora marked = mark_terms(corpora.sources, config, run.cache());
    corpora.sources = std::move(marked.sources);
    corpora.description += marked.description;
  }
  if (config.data.preceding_sentences > 0) {
    corpora.sources = with_contexts(corpora.sources, config.data, run.cache());
  }
  return corpora;
}

}  // namespace

bool has_tagged_sources(const DataConfig& data) {
  return back_translates(data) && data.back_translate.tag;
}

TrainingCorpora open_training_corpora(const Config& config, const RunFolder& run,
                                      const TaskStart& start) {
  using Purpose = TaskStart::Purpose;
  TrainingCorpora result;
  if (start.purpose == Purpose::use) return result;
  const DataConfig& data = config.data;
  if (distills(data)) direction_of(run_of_distillation, data.distill.run, config, false);
  if (back_translates(data)) {
    direction_of(run_of_back_translation, data.back_translate.run, config, true);
  }
  result.sources = corpus_sources(data.train, data, Split::train);
  if (start.purpose == Purpose::plan) {
    if (!data.terms.file.empty()) read_glossary(data.terms.file);  // for its errors
    result.description = plan_of(data, result.sources);
    return result;
  }
  const std::vector<Making> makings = makings_of(config, result.sources);
  if (makings.empty()) return rewritten_corpora(std::move(result), config, run);
  result.synthetic = hash_of(makings);
  if (start.purpose == Purpose::resume) require_same(start.data_hash, result.synthetic);
  if (distills(data) && !data.distill.keep) result.sources.clear();
  for (const Making& making : makings) {
    for (const SyntheticCorpus& corpus : making.corpora) {
      const MadeCorpus made = make_synthetic(corpus, making.teacher, run.cache(), start.say);
      result.sources.push_back(made.pairs);
      result.description +=
          fmt::format("; {} by {}{}: {}", corpus.name, making.run,
                      made.from_cache ? ", from the cache" : "", made.counts.text());
    }
  }
  return rewritten_corpora(std::move(result), config, run);
}

}  // namespace calque
