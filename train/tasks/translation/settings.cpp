#include "train/tasks/translation/settings.h"

#include "core/error.h"
#include "train/config/language_pairs.h"
#include "train/tasks/translation/languages.h"

namespace calque {
namespace {

RowsInMemory toy_pairs(const CorpusConfig& corpus, Split split) {
  const ToyLanguage language = toy_language(corpus);
  return in_memory(corpus_name(corpus), language.pairs(corpus.split.value_or(split), corpus.pairs,
                                                       static_cast<uint64_t>(corpus.seed)));
}

decltype(CorpusSource::place) corpus_place(const CorpusConfig& corpus, const DataConfig& data,
                                           Split split) {
  if (corpus.toy != CorpusConfig::Toy::none) return toy_pairs(corpus, split);
  if (!corpus.tsv.empty()) {
    return TsvFile{
        corpus.tsv,
        {static_cast<int>(corpus.source_column), static_cast<int>(corpus.target_column)}};
  }
  if (!corpus.source.empty()) return AlignedFiles{{corpus.source, corpus.target}};
  const std::vector<std::string>& languages =
      corpus.languages.empty() ? data.languages : corpus.languages;
  require(languages.size() == 2, "corpus_source: {} does not have two languages",
          corpus_name(corpus));
  if (!corpus.file.empty()) return FileOfPairs{corpus.file, languages};
  return files_of_prefix(corpus.prefix, languages);
}

CorpusSource corpus_source(const CorpusConfig& corpus, const DataConfig& data, Split split) {
  return {corpus_place(corpus, data, split), {.weight = corpus.weight, .epochs = corpus.epochs}};
}

}  // namespace

TransformerOptions transformer_options(const ModelConfig& model, int64_t source_vocabulary,
                                       int64_t target_vocabulary) {
  TransformerOptions options;
  options.layer = model;
  options.layer.residual_initial_scale = 0;  // docs/optimisers.md has what it gains
  options.source_vocabulary = source_vocabulary;
  options.target_vocabulary = target_vocabulary;
  options.encoder_layers = model.encoder_layers;
  options.decoder_layers = model.decoder_layers;
  options.tying = model.tied;
  options.decoder_start = model.decoder_start;
  options.source_end = model.source_end;
  options.output_bias = model.output_bias;
  options.output_cap = model.output_cap;
  validate(options);
  return options;
}

RecurrentOptions recurrent_options(const ModelConfig& model, int64_t source_vocabulary,
                                   int64_t target_vocabulary) {
  return {.d_model = model.d_model,
          .hidden = model.hidden > 0 ? model.hidden : model.d_model,
          .source_vocabulary = source_vocabulary,
          .target_vocabulary = target_vocabulary,
          .encoder_layers = model.encoder_layers,
          .cell = model.cell,
          .score = model.attention_score,
          .tying = model.tied,
          .decoder_start = model.decoder_start,
          .source_end = model.source_end,
          .output_bias = model.output_bias,
          .output_cap = model.output_cap,
          .dropout = model.dropout};
}

std::vector<int> cost_columns(const TrainingConfig& training) {
  switch (training.batch_by) {
    case TrainingConfig::BatchBy::source:
      return {0};
    case TrainingConfig::BatchBy::both:
      return {0, 1};
    case TrainingConfig::BatchBy::target:
      break;
  }
  return {1};
}

TranslationOptions translation_options(const DecodingConfig& decoding) {
  TranslationOptions options;
  options.beam = decoding.beam;
  options.penalty = decoding.length_penalty_kind;
  options.length_penalty = decoding.length_penalty;
  options.stop = decoding.early_stopping;
  options.n_best = decoding.n_best;
  options.min_length = decoding.min_length;
  options.min_length_ratio = decoding.min_length_ratio;
  options.max_length = decoding.max_length;
  options.max_length_ratio = decoding.max_length_ratio;
  options.max_length_extra = decoding.max_length_extra;
  options.no_repeat_ngram = decoding.no_repeat_ngram;
  options.allow_unknown = decoding.allow_unknown;
  options.batch_tokens = decoding.batch_tokens;
  options.use_shortlist = decoding.shortlist;
  return options;
}

BleuOptions bleu_options(const Config& config) {
  BleuOptions options;
  options.lowercase = config.decoding.bleu_lowercase || config.data.lowercase;
  options.tokenization = config.decoding.bleu_tokenize;
  return options;
}

ChrfOptions chrf_options(const Config& config) { return {.lowercase = config.data.lowercase}; }

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

std::vector<CorpusSource> corpus_sources(const Corpora& corpora, const DataConfig& data,
                                         Split split) {
  std::vector<CorpusSource> sources;
  for (const CorpusConfig& corpus : corpora) {
    CorpusSource source = corpus_source(corpus, data, split);
    if (!data.multilingual) {
      sources.push_back(std::move(source));
      continue;
    }
    for (const CorpusDirection& each : directions_of(corpus)) {
      CorpusSource own = each.turned ? turned(source) : source;
      own.pair = each.pair.name();
      own.mark = language_token(each.pair.target);
      sources.push_back(std::move(own));
    }
  }
  return sources;
}

}  // namespace calque
