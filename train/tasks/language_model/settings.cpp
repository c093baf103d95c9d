#include "train/tasks/language_model/settings.h"

#include <algorithm>

#include "data/toy/analogies.h"
#include "data/toy/text.h"
#include "train/tasks/data_settings.h"

namespace calque {
namespace {

bool is_toy_text(const CorpusConfig& corpus) { return corpus.toy == CorpusConfig::Toy::toy_text; }

DocumentSource document_source(const CorpusConfig& corpus, const DataConfig& data, Split split) {
  const CorpusShare share{.weight = corpus.weight, .epochs = corpus.epochs};
  if (corpus.toy == CorpusConfig::Toy::none) {
    return {DocumentFiles{corpus.text, data.documents}, share};
  }
  const auto toy = is_toy_text(corpus) ? toy_text : toy_analogies;
  return {documents_in_memory(corpus_name(corpus), toy(corpus.split.value_or(split), corpus.pairs,
                                                       static_cast<uint64_t>(corpus.seed))),
          share};
}

}  // namespace

LanguageModelOptions language_model_options(const Config& config, int64_t vocabulary) {
  LanguageModelOptions options;
  options.layer = config.model;
  options.layer.max_positions = config.data.context;
  options.vocabulary = vocabulary;
  options.layers = config.model.layers;
  options.tied = config.model.tied != Tying::none;
  options.output_bias = config.model.output_bias;
  validate(options);
  return options;
}

WindowOptions window_options(const Config& config, WindowUse use) {
  return {.context = config.data.context,
          .cross_documents = config.data.cross_documents,
          .use = use,
          .seed = static_cast<uint64_t>(config.training.seed)};
}

std::vector<DocumentSource> document_sources(const Corpora& corpora, const DataConfig& data,
                                             Split split) {
  std::vector<DocumentSource> sources;
  for (const CorpusConfig& corpus : corpora) {
    sources.push_back(document_source(corpus, data, split));
  }
  return sources;
}

bool has_line_ends(const DataConfig& data) {
  return data.documents != DocumentUnit::lines || std::ranges::any_of(data.train, is_toy_text);
}

}  // namespace calque
