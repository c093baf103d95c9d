#include "train/tasks/translation/validation.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>

#include "core/error.h"
#include "data/text/lowercase.h"
#include "nn/layers/expert_load.h"
#include "train/metrics/translation/bleu.h"
#include "train/metrics/translation/chrf.h"
#include "train/metrics/translation/degeneration.h"
#include "train/tasks/loss_metrics.h"
#include "train/tasks/translation/context.h"
#include "train/tasks/translation/evaluation.h"
#include "train/tasks/translation/pair_scores.h"
#include "train/tasks/translation/settings.h"

namespace calque {

ParallelTexts read_texts(const std::vector<CorpusSource>& corpora, int64_t most,
                         const DataConfig& data) {
  const InvalidText invalid = filter_options(data).invalid;
  ParallelTexts texts;
  std::map<std::string, int64_t> counts;  // of each language pair
  for (const CorpusSource& source : corpora) {
    const Corpus corpus(source);
    int64_t& count = counts[source.pair];
    const size_t begin = texts.sources.size();
    for (int64_t i = 0; i < corpus.size(); ++i) {
      if (most > 0 && count >= most) break;
      const RowBlock block = corpus.read(i, 1, 1);
      const auto row = block.row(0);
      const Line &from = row[0], &to = row[1];
      if (invalid == InvalidText::skip && !(is_text(from) && is_text(to))) continue;
      require_text(from, corpus.where(i, 0));
      require_text(to, corpus.where(i, 1));
      texts.sources.emplace_back(from.text);
      texts.places.push_back(corpus.where(i, 0));
      texts.references.push_back(data.lowercase ? lowercase(to.text) : std::string(to.text));
      ++count;
    }
    if (source.mark.empty() || begin == texts.sources.size()) continue;
    texts.parts.push_back({source.pair, source.mark, begin, texts.sources.size()});
  }
  return texts;
}

std::vector<FoundTranslations> search_parallel(std::span<const Translator> models,
                                               Tokenizers tokenizers, const ParallelTexts& texts,
                                               const TextSearch& how,
                                               const std::function<void(int64_t)>& done) {
  if (texts.parts.empty()) {
    const std::vector<std::string> inputs = with_contexts(texts.sources, how.preceding);
    return search_texts(models, tokenizers, inputs, how, {}, 0, done);
  }
  std::vector<FoundTranslations> all;
  for (const ParallelTexts::Part& part : texts.parts) {
    tokenizers.before_source = tokenizers.marked(part.mark);
    const auto own = std::span(texts.sources).subspan(part.begin, part.end - part.begin);
    const auto done_before = static_cast<int64_t>(part.begin);
    std::ranges::move(search_texts(models, tokenizers, own, how, {}, done_before,
                                   [&](int64_t count) {
                                     if (done) done(done_before + count);
                                   }),
                      std::back_inserter(all));
  }
  return all;
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
      "positions",
      place, tokens + 1, model.max_positions);
}

}  // namespace

void require_positions(const Dataset& dataset, const ModelConfig& model) {
  if (model.positions != PositionKind::learned) return;
  for (int64_t pair = 0; pair < dataset.examples(); ++pair) {
    const int64_t longer =
        std::max(dataset.tokens->length(pair, 0), dataset.tokens->length(pair, 1));
    if (longer >= model.max_positions) {
      require_position(longer, dataset.where(dataset.tokens->line(pair)), model);
    }
  }
}

void require_positions(const ParallelTexts& texts, const Tokenizer& source,
                       const ModelConfig& model) {
  if (model.positions != PositionKind::learned) return;
  for (size_t i = 0; i < texts.sources.size(); ++i) {
    const int64_t mark = texts.parts.empty() ? 0 : 1;
    require_position(mark + std::ssize(source.encode(texts.sources[i])), texts.places[i], model);
  }
}

Validation::Validation(const Config& config, const Tokenizers& tokenizers, const std::string& cache)
    : config_(config), tokenizers_(tokenizers) {
  if (config.data.validation.empty()) return;
  const std::vector<CorpusSource> corpora =
      corpus_sources(config.data.validation, config.data, CorpusConfig::Split::validation);
  const FilterOptions keep_all = only_invalid_dropped(filter_options(config.data).invalid);
  std::vector<CorpusSource> with_context;
  for (const CorpusSource& corpus : corpora) {
    with_context.push_back(with_contexts_in_memory(corpus, config.data));
  }
  dataset_ = load_dataset(with_context, {tokenizers.source, tokenizers.target}, {keep_all, cache});
  require_positions(*dataset_, config.model);
  if (config.training.validate_translate != TrainingConfig::Translate::none) {
    texts_ = read_texts(corpora, config.training.validate_sentences, config.data);
    require_positions(texts_, tokenizers.source, config.model);
  }
}

Scores Validation::scores(Translator model, BatchShare share) const {
  Scores scores;
  scores.values = loss_values(evaluate_tokens(model, *dataset_, config_.training, share));
  if (!texts_.sources.empty()) translate(model, share, scores);
  return scores;
}

// Each text is translated by one rank.
std::vector<std::string> Validation::translations(Translator model, BatchShare& share) const {
  TextSearch options = translation_options(config_.decoding);
  options.n_best = 1;
  if (config_.training.validate_translate == TrainingConfig::Translate::greedy) options.beam = 1;
  options.preceding = config_.data.preceding_sentences;
  options.longest_with_context = config_.data.max_length;
  options.batches = {share.rank(), share.ranks()};
  std::vector<std::string> outputs(texts_.sources.size());
  share.run([&](const std::function<void()>& between) {
    const ExpertLoad not_counted;
    const auto found =
        search_parallel({&model, 1}, tokenizers_, texts_, options, [&](int64_t) { between(); });
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (found[i].best.empty()) continue;
      outputs[i] = tokenizers_.target.decode(found[i].best.front().ids);
    }
  });
  share.join(outputs);
  return outputs;
}

void Validation::translate(Translator model, BatchShare share, Scores& scores) const {
  const std::vector<std::string> outputs = translations(model, share);
  TranslationScores found = score_translations(outputs, texts_.references, config_);
  if (const auto pairs = score_pairs_of_languages(outputs, texts_, config_); !pairs.empty()) {
    std::tie(found.bleu, found.chrf) = std::pair(mean_bleu(pairs), mean_chrf(pairs));
    scores.tables.push_back(table_of(pairs));
  }
  scores.values.emplace_back("exact", found.exact);
  scores.values.emplace_back("bleu", found.bleu);
  scores.values.emplace_back("chrf", found.chrf);
  const Degeneration worse = degeneration(outputs, texts_.sources, texts_.references);
  scores.values.emplace_back("copied", worse.copied);
  scores.values.emplace_back("repeated", worse.repeated);
  if (!share.is_rank_zero()) return;
  const size_t wanted = std::min(static_cast<size_t>(config_.logging.samples), outputs.size());
  for (size_t i = 0; i < wanted; ++i) {
    const size_t at = i * outputs.size() / wanted;  // the same ones at every validation
    scores.samples.push_back({texts_.sources[at], texts_.references[at], outputs[at]});
  }
}

}  // namespace calque
