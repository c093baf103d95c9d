#include "train/tasks/data_settings.h"

namespace calque {

ToyLanguage toy_language(const CorpusConfig& corpus) {
  return ToyLanguage::named(name_of(toys, corpus.toy),
                            {corpus.symbols, corpus.shortest, corpus.longest});
}

std::string corpus_name(const CorpusConfig& corpus) {
  if (!corpus.name.empty()) return corpus.name;
  if (corpus.toy != CorpusConfig::Toy::none) {
    return std::string(name_of(toys, corpus.toy));
  }
  if (!corpus.text.empty()) return corpus.text.front();
  if (!corpus.conversations.empty()) return corpus.conversations.front();
  if (!corpus.preferences.empty()) return corpus.preferences.front();
  for (const auto path : corpus_paths) {
    if (!(corpus.*path).empty()) return corpus.*path;
  }
  return "corpus";
}

FilterOptions filter_options(const DataConfig& data) {
  return {static_cast<int32_t>(data.max_length), data.max_ratio, data.drop_duplicates,
          data.invalid_utf8};
}

BatchOptions batch_options(const TrainingConfig& training) {
  return {.tokens = training.chooses_batch() ? training.usual_batch_tokens : training.batch_tokens,
          .examples = training.batch_sentences,
          .seed = static_cast<uint64_t>(training.seed)};
}

}  // namespace calque
