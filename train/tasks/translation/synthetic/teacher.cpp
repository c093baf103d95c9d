#include "train/tasks/translation/synthetic/teacher.h"

#include <algorithm>

#include "core/products/compact/matrix.h"
#include "data/files/content_hash.h"
#include "train/config/show.h"
#include "train/tasks/translation/decoding.h"
#include "train/tasks/translation/search.h"
#include "train/tasks/translation/settings.h"

namespace calque {
namespace {

// Increase it when the same run translates otherwise.
constexpr int teacher_version = 1;

int64_t longest_line_of(const TranslationRun& run) {
  const int64_t trained = run.config.data.max_length, positions = run.model().learned_positions();
  if (positions == 0) return trained;
  const int64_t most = positions - 1;  // </s> has one
  return trained == 0 ? most : std::min(trained, most);
}

// The settings of the run that decide its translations, besides its files.
std::string settings_of(const TranslationRun& run, const DecodingConfig& decoding) {
  Config config;
  config.task = run.config.task;
  config.model = run.config.model;
  config.model.init_from.clear();
  config.model.embeddings = {};
  config.decoding = decoding;
  config.data.lowercase = run.config.data.lowercase;
  config.data.nfkc = run.config.data.nfkc;
  config.data.max_length = run.config.data.max_length;
  return show_config(config);
}

uint64_t hash_of(const TranslationRun& run, const DecodingConfig& decoding,
                 const std::optional<Sampling>& sampling) {
  const std::span<const real> weights = run.network->parameters.values();
  ContentHash hash;
  hash.add(teacher_version).add_text(settings_of(run, decoding)).add_text(run.tokenizers.hash());
  hash.add({reinterpret_cast<const char*>(weights.data()), weights.size_bytes()});
  for (const Parameters::Entry& entry : run.network->parameters.entries()) {
    if (!entry.compact()) continue;
    for (const auto bytes : {entry.compact()->number_bytes(), entry.compact()->scale_bytes()}) {
      hash.add({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    }
  }
  hash.add(sampling.has_value());
  if (sampling) hash.add(sampling->top_k).add(sampling->temperature).add(sampling->seed);
  if (run.config.data.multilingual) hash.add_text(run.languages.target);
  return hash.value();
}

TeacherOutput output_of(const FoundTranslations& found, const Tokenizer& target) {
  const Hypothesis& best = found.best.front();
  if (!best.finished) return {TeacherOutput::Outcome::unfinished};
  std::string text = target.decode(best.ids);
  std::ranges::replace(text, '\n', ' ');
  if (text.find_first_not_of(" \t\r") == std::string::npos) {
    return {TeacherOutput::Outcome::unfinished};
  }
  return {TeacherOutput::Outcome::translated, std::move(text)};
}

}  // namespace

Teacher::Teacher(const std::string& path, int64_t beam, const std::optional<Sampling>& sampling,
                 const LanguageChoice& languages)
    : run_(open_translation_run(path, languages)) {
  const DecodingConfig decoding = decoding_of(run_, {.settings = {}, .beam = beam, .n_best = 1});
  options_ = translation_options(decoding);
  options_.sampling = sampling;
  limit_sources(run_, options_);
  longest_ = longest_line_of(run_);
  hash_ = hash_of(run_, decoding, sampling);
}

std::vector<TeacherOutput> Teacher::translate(std::span<const std::string> lines,
                                              int64_t first_number) const {
  using enum TeacherOutput::Outcome;
  std::vector<TeacherOutput> outputs(lines.size());
  std::vector<std::vector<int32_t>> sources;  // a source without tokens is not searched
  for (size_t i = 0; i < lines.size(); ++i) {
    sources.push_back(run_.tokenizers.source.encode(lines[i]));
    if (sources[i].empty()) outputs[i].outcome = empty;
    if (longest_ == 0 || std::ssize(sources[i]) <= longest_) continue;
    outputs[i].outcome = too_long;
    sources[i].clear();
  }
  const Translator models[] = {run_.model()};
  const auto found =
      search_sources(models, run_.tokenizers, std::move(sources), options_, {}, first_number);
  for (size_t i = 0; i < lines.size(); ++i) {
    if (outputs[i].outcome != translated) continue;
    outputs[i] = output_of(found[i], run_.tokenizers.target);
  }
  return outputs;
}

}  // namespace calque
