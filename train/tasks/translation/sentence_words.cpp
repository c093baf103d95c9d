#include "train/tasks/translation/sentence_words.h"

#include "data/sentences/learning.h"
#include "data/tokenizers/training.h"
#include "train/storage/durable_files.h"
#include "train/tasks/translation/settings.h"

namespace calque {

void learn_sentences(const Config& config, const RunFolder& run) {
  constexpr int source_column = 0;
  constexpr int64_t most_pairs = 100'000;
  std::vector<Corpus> corpora;
  for (const CorpusSource& source : corpus_sources(config.data.train, config.data, Split::train)) {
    corpora.emplace_back(source);
  }
  SentenceLearning learning;
  for (const std::string& line : sample_texts(corpora, {source_column}, most_pairs,
                                              static_cast<uint64_t>(config.training.seed))) {
    learning.add(line);
  }
  ensure_text(real_files(), run.sentences(), to_text(learning.words()));
}

SentenceSplitter source_splitter(const TranslationRun& run) {
  constexpr uint64_t most_bytes = 16 << 20;
  const std::string path = run.folder.sentences();
  const std::string& language = run.languages.source;
  if (!exists(real_files(), path)) return SentenceSplitter(language);
  return SentenceSplitter(language,
                          parse_sentence_words(read_text(real_files(), path, most_bytes), path));
}

}  // namespace calque
