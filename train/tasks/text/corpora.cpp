#include "train/tasks/text/corpora.h"

#include <algorithm>

#include "data/conversations/dataset.h"
#include "data/conversations/preference_dataset.h"
#include "data/documents/dataset.h"
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

std::vector<ConversationSource> conversation_sources(const Corpora& corpora) {
  std::vector<ConversationSource> sources;
  for (const CorpusConfig& corpus : corpora) {
    sources.push_back({corpus.conversations.empty() ? corpus.preferences : corpus.conversations,
                       {.weight = corpus.weight, .epochs = corpus.epochs}});
  }
  return sources;
}

// The config check refuses corpora of several kinds in one list.
bool are_conversations(const Corpora& corpora) {
  return !corpora.empty() && !corpora.front().conversations.empty();
}

bool are_json_lines(const Corpora& corpora) {
  return are_conversations(corpora) || (!corpora.empty() && !corpora.front().preferences.empty());
}

Dataset load_json_lines_of(const DataConfig& data, const Corpora& corpora,
                           const Tokenizer& tokenizer, bool drop_duplicates,
                           const std::string& cache_folder) {
  const auto load = are_conversations(corpora) ? load_conversations : load_preferences;
  return load(
      conversation_sources(corpora), tokenizer, data.turns,
      {.context = data.context, .drop_duplicates = drop_duplicates, .cache_folder = cache_folder});
}

// Texts for training a tokenizer.
std::vector<std::string> sample_texts(const Config& config) {
  const int64_t most = config.tokenizer.training_pairs;
  const Corpora& corpora = config.data.train;
  if (are_conversations(corpora)) {
    return conversation_texts(conversation_sources(corpora), config.data.turns, most);
  }
  return sample_documents(document_sources(corpora, config.data, Split::train), most,
                          static_cast<uint64_t>(config.training.seed));
}

}  // namespace

std::vector<DocumentSource> document_sources(const Corpora& corpora, const DataConfig& data,
                                             Split split) {
  std::vector<DocumentSource> sources;
  for (const CorpusConfig& corpus : corpora) {
    if (are_json_lines({corpus})) continue;
    sources.push_back(document_source(corpus, data, split));
  }
  return sources;
}

Dataset load_training_texts(const DataConfig& data, const Tokenizer& tokenizer,
                            const std::string& cache_folder) {
  if (are_json_lines(data.train)) {
    return load_json_lines_of(data, data.train, tokenizer, data.drop_duplicates, cache_folder);
  }
  return load_documents(document_sources(data.train, data, Split::train), tokenizer,
                        {.drop_duplicates = data.drop_duplicates,
                         .invalid = filter_options(data).invalid,
                         .cache_folder = cache_folder});
}

Dataset load_texts(const DataConfig& data, const Corpora& corpora, Split split,
                   const Tokenizer& tokenizer, const std::string& cache_folder) {
  if (are_json_lines(corpora)) {
    return load_json_lines_of(data, corpora, tokenizer, false, cache_folder);
  }
  return load_documents(document_sources(corpora, data, split), tokenizer,
                        {.invalid = filter_options(data).invalid, .cache_folder = cache_folder});
}

bool has_line_ends(const DataConfig& data) {
  return data.documents != DocumentUnit::lines || are_conversations(data.train) ||
         std::ranges::any_of(data.train, is_toy_text);
}

Tokenizer open_text_tokenizer(const Config& config, const RunFolder& run, const TaskStart& start) {
  const auto train = [&] {
    TokenizerTraining training = tokenizer_training(config.tokenizer);
    training.newline = has_line_ends(config.data);
    return trained_tokenizer(config, sample_texts(config), training);
  };
  return open_tokenizers(config, run, start, {{"", train}}).front();
}

}  // namespace calque
