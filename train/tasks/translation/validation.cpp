#include "train/tasks/translation/validation.h"

#include <algorithm>
#include <chrono>

#include "core/error.h"
#include "data/lowercase.h"
#include "train/metrics/bleu.h"
#include "train/metrics/chrf.h"
#include "train/tasks/translation/settings.h"
#include "train/tasks/translation/translation.h"

namespace calque {

ParallelTexts read_texts(const std::vector<CorpusSource>& corpora, int64_t most,
                         const DataConfig& data) {
  const InvalidText invalid = filter_options(data).invalid;
  ParallelTexts texts;
  for (const CorpusSource& source : corpora) {
    const Corpus corpus(source);
    for (int64_t i = 0; i < corpus.size(); ++i) {
      if (most > 0 && std::ssize(texts.sources) >= most) return texts;
      const PairBlock block = corpus.read(i, 1, 1);
      const auto& [from, to] = block.pairs.front();
      if (invalid == InvalidText::skip && !(is_text(from) && is_text(to))) continue;
      require_text(from, corpus.where(i, Side::source));
      require_text(to, corpus.where(i, Side::target));
      texts.sources.emplace_back(from.text);
      texts.places.push_back(corpus.where(i, Side::source));
      texts.references.push_back(data.lowercase ? lowercase(to.text) : std::string(to.text));
    }
  }
  return texts;
}

void require_validation_files(const Config& config) {
  for (const CorpusConfig& corpus : config.data.validation) {
    if (corpus.toy != CorpusConfig::Toy::none) continue;
    for (const CorpusSource& source :
         corpus_sources({corpus}, config.data, CorpusConfig::Split::validation)) {
      require_files(source);
    }
  }
}

double exact_share(const std::vector<std::string>& outputs,
                   const std::vector<std::string>& references) {
  int64_t equal = 0;
  for (size_t i = 0; i < outputs.size(); ++i) equal += outputs[i] == references[i] ? 1 : 0;
  return static_cast<double>(equal) / static_cast<double>(std::max<size_t>(1, outputs.size()));
}

TranslationScores score_translations(const std::vector<std::string>& outputs,
                                     const std::vector<std::string>& references,
                                     const Config& config) {
  TranslationScores scores;
  scores.exact = exact_share(outputs, references);
  const std::vector<std::vector<std::string>> one{references};
  scores.bleu = bleu(outputs, one, bleu_options(config)).score;
  scores.chrf = chrf(outputs, one, chrf_options(config)).score;
  return scores;
}

namespace {

void require_position(int64_t tokens, const std::string& place, const ModelConfig& model) {
  if (tokens + 1 <= model.max_positions) return;
  fail(
      "{}: a sentence of {} tokens, but model.max_positions is {}; shorten it, or train with more "
      "or other positions",
      place, tokens + 1, model.max_positions);
}

}  // namespace

void require_positions(const Dataset& dataset, const ModelConfig& model) {
  if (model.positions != ModelConfig::Positions::learned) return;
  for (int64_t pair = 0; pair < dataset.pairs(); ++pair) {
    const int64_t longer =
        std::max(dataset.tokens->source_length(pair), dataset.tokens->target_length(pair));
    if (longer >= model.max_positions) {
      require_position(longer, dataset.where(dataset.tokens->line(pair)), model);
    }
  }
}

void require_positions(const ParallelTexts& texts, const Tokenizer& source,
                       const ModelConfig& model) {
  if (model.positions != ModelConfig::Positions::learned) return;
  for (size_t i = 0; i < texts.sources.size(); ++i) {
    require_position(std::ssize(source.encode(texts.sources[i])), texts.places[i], model);
  }
}

Validation::Validation(const Config& config, const Tokenizers& tokenizers, const RunFolder& run)
    : config_(config), tokenizers_(tokenizers) {
  if (config.data.validation.empty()) return;
  const std::vector<CorpusSource> corpora =
      corpus_sources(config.data.validation, config.data, CorpusConfig::Split::validation);
  const FilterOptions keep_all = keeping_all(filter_options(config.data).invalid);
  dataset_ = load_dataset(corpora, tokenizers.source, tokenizers.target,
                          {keep_all, config.data.cache ? run.cache() : ""});
  require_positions(*dataset_, config.model);  // before it trains
  if (config.training.validate_translate != TrainingConfig::Translate::none) {
    texts_ = read_texts(corpora, config.training.validate_sentences, config.data);
    require_positions(texts_, tokenizers.source, config.model);
  }
}

std::optional<ValidRecord> Validation::run(const TranslationModel& model,
                                           const std::function<bool()>& stop) const {
  struct Stopped {};
  const auto between = [&] {
    if (stop()) throw Stopped();
  };
  try {
    return whole(model, between);
  } catch (const Stopped&) {
    return std::nullopt;
  }
}

ValidRecord Validation::whole(const TranslationModel& model,
                              const std::function<void()>& between) const {
  const auto start = std::chrono::steady_clock::now();
  ValidRecord record;
  const int64_t tokens = config_.training.batch_tokens > 0 ? config_.training.batch_tokens
                                                           : config_.decoding.batch_tokens;
  record.scores = scores_of(
      evaluate_tokens(model, *dataset_, config_.training.label_smoothing, tokens, between));
  if (!texts_.sources.empty()) translate(model, between, record);
  record.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return record;
}

void Validation::translate(const TranslationModel& model, const std::function<void()>& between,
                           ValidRecord& record) const {
  SearchOptions options = search_options(config_.decoding);
  options.n_best = 1;
  if (config_.training.validate_translate == TrainingConfig::Translate::greedy) options.beam = 1;
  const Transformer* const models[] = {&model.transformer};
  const std::vector<std::string> outputs =
      translate_texts(models, tokenizers_, texts_.sources, options, [&](int64_t) { between(); });
  const TranslationScores scores = score_translations(outputs, texts_.references, config_);
  record.exact = scores.exact;
  record.bleu = scores.bleu;
  record.chrf = scores.chrf;
  const size_t wanted = std::min(static_cast<size_t>(config_.logging.samples), outputs.size());
  for (size_t i = 0; i < wanted; ++i) {
    const size_t at = i * outputs.size() / wanted;  // from all over the set, the same every time
    record.samples.push_back({texts_.sources[at], texts_.references[at], outputs[at]});
  }
}

double metric_of(const ValidRecord& record, TrainingConfig::Metric metric) {
  switch (metric) {
    case TrainingConfig::Metric::loss:
      return record.scores.loss;
    case TrainingConfig::Metric::perplexity:
      return record.scores.perplexity;
    case TrainingConfig::Metric::accuracy:
      return record.scores.accuracy;
    case TrainingConfig::Metric::exact:
      return record.exact.value_or(0);
    case TrainingConfig::Metric::bleu:
      return record.bleu.value_or(0);
    case TrainingConfig::Metric::chrf:
      return record.chrf.value_or(0);
  }
  return 0;
}

bool is_better(double a, double b, TrainingConfig::Metric metric) {
  const bool lower =
      metric == TrainingConfig::Metric::loss || metric == TrainingConfig::Metric::perplexity;
  return lower ? a < b : a > b;
}

}  // namespace calque
