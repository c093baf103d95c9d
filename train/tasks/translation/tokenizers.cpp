#include "train/tasks/translation/tokenizers.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <numeric>

#include "core/error.h"
#include "core/random.h"
#include "data/datasets/pair_sampling.h"
#include "data/terms/term_marks.h"
#include "data/tokenizers/bpe_dropout.h"
#include "train/tasks/translation/context.h"
#include "train/tasks/translation/languages.h"
#include "train/tasks/translation/settings.h"
#include "train/tasks/translation/synthetic/training_corpora.h"
#include "train/tasks/translation/terms/marked_corpora.h"

namespace calque {
namespace {

constexpr int source_column = 0, target_column = 1;

// The training corpora of a multilingual run, each in one direction: both have the same texts.
std::vector<CorpusSource> one_direction_each(const DataConfig& data) {
  Corpora corpora = data.train;
  for (CorpusConfig& corpus : corpora) corpus.directions = CorpusConfig::Directions::forward;
  return corpus_sources(corpora, data, Split::train);
}

// The corpora of each language pair. Without data.multilingual all are of one.
std::map<std::string, std::vector<Corpus>> by_pair(const std::vector<CorpusSource>& sources) {
  std::map<std::string, std::vector<Corpus>> corpora;
  for (const CorpusSource& source : sources) corpora[source.pair].emplace_back(source);
  return corpora;
}

// The texts that a tokenizer is trained on: as many of each language pair as an epoch takes, so
// that a small one gets its part of the vocabulary. Those of a small pair may be repeated.
std::vector<std::string> training_texts(const Config& config,
                                        const std::vector<CorpusSource>& sources,
                                        const std::vector<int>& columns) {
  const auto corpora = by_pair(sources);
  std::vector<double> sizes;
  for (const auto& [pair, all] : corpora) {
    double size = 0;
    for (const Corpus& corpus : all) size += static_cast<double>(corpus.size());
    sizes.push_back(size);
  }
  const double all = std::accumulate(sizes.begin(), sizes.end(), 0.0);
  const double taken = std::min(1.0, static_cast<double>(config.tokenizer.training_pairs) / all);
  const std::vector<double> wanted = tempered(sizes, config.data.temperature);
  std::vector<std::string> texts;
  size_t number = 0;
  for (const auto& [pair, of_pair] : corpora) {
    const auto size = static_cast<int64_t>(sizes[number]);
    auto left = std::llround(wanted[number] * taken);
    for (; left > 0 && size > 0; left -= size) {
      std::vector<std::string> more =
          sample_texts(of_pair, columns, left, static_cast<uint64_t>(config.training.seed));
      std::ranges::move(more, std::back_inserter(texts));
    }
    ++number;
  }
  return texts;
}

Tokenizer trained_on(const Config& config, const std::vector<CorpusSource>& sources,
                     const std::vector<int>& columns) {
  std::vector<std::string> texts = training_texts(config, sources, columns);
  TokenizerTraining training = tokenizer_training(config.tokenizer);
  if (has_tagged_sources(config.data)) training.symbols.emplace_back(back_translation_tag);
  if (marks_terms(config.data)) {
    training.symbols.insert(training.symbols.end(), term_marks.begin(), term_marks.end());
  }
  if (config.data.preceding_sentences > 0) training.symbols.emplace_back(context_mark);
  const bool reads_sources = std::ranges::count(columns, source_column) > 0;
  if (config.data.multilingual && reads_sources) {
    for (const std::string& target : target_languages(language_pairs(config.data.train))) {
      training.marks.push_back(language_token(target));
    }
  }
  return trained_tokenizer(config, std::move(texts), training);
}

// A tokenizer from tokenizer.files may lack the tokens.
void require_languages(const Config& config, const Tokenizer& source) {
  if (!config.data.multilingual) return;
  const std::vector<std::string> known = languages_with_token(source);
  for (const std::string& target : target_languages(language_pairs(config.data.train))) {
    if (std::ranges::count(known, target) > 0) continue;
    fail("tokenizer.files: {} lacks the token {} of the target language {}",
         config.tokenizer.files.empty() ? "the tokenizer" : config.tokenizer.files.front(),
         language_token(target), target);
  }
}

}  // namespace

std::vector<int32_t> Tokenizers::read(std::span<const int32_t> source_ids) const {
  std::vector<int32_t> ids = before_source;
  ids.insert(ids.end(), source_ids.begin(), source_ids.end());
  return ids;
}

std::vector<int32_t> Tokenizers::marked(const std::string& mark) const {
  if (mark.empty()) return {};
  const auto id = source.find(mark);
  if (!id) fail("the tokenizer lacks the token {}", mark);
  return {*id};
}

Tokenizers open_translation_tokenizers(const Config& config, const RunFolder& run,
                                       const TaskStart& start,
                                       const std::vector<CorpusSource>& corpora) {
  const auto train = [&](const std::vector<int>& columns) {
    return [&config, &corpora, columns] { return trained_on(config, corpora, columns); };
  };
  if (config.tokenizer.joint) {
    const auto train_joint = [&] {
      const bool multilingual = config.data.multilingual;
      return trained_on(config, multilingual ? one_direction_each(config.data) : corpora,
                        {source_column, target_column});
    };
    const Tokenizer joint = open_tokenizers(config, run, start, {{"", train_joint}}).front();
    require_languages(config, joint);
    return {joint, joint};
  }
  const std::vector<Tokenizer> two =
      open_tokenizers(config, run, start,
                      {{".source", train({source_column})}, {".target", train({target_column})}});
  require_languages(config, two[0]);
  return {two[0], two[1]};
}

Tokenizers make_tokenizers(const Config& config) {
  return open_translation_tokenizers(config, {}, {TaskStart::Purpose::plan},
                                     corpus_sources(config.data.train, config.data, Split::train));
}

ExampleSet with_bpe_dropout(ExampleSet set, const Config& config, const Tokenizers& tokenizers) {
  const double probability = config.tokenizer.bpe_dropout;
  if (probability == 0) return set;
  const auto dropout_of = [&](const Tokenizer& tokenizer) {
    const SentencePieceModel* model = tokenizer.sentence_piece();
    if (!model || !model->is_bpe()) {
      fail("tokenizer.bpe_dropout needs a BPE model, but tokenizer.files has another kind");
    }
    return BpeDropout(*model, probability);
  };
  set.read = [read = std::move(set.read), longest = config.data.max_length,
              seed = static_cast<uint64_t>(config.training.seed),
              dropouts = std::vector{dropout_of(tokenizers.source), dropout_of(tokenizers.target)}](
                 int64_t epoch, int64_t number, Example& example) {
    constexpr uint32_t uses[] = {0x0da7a004, 0x0da7a005};
    read(epoch, number, example);
    for (size_t column = 0; column < dropouts.size(); ++column) {
      Random random(
          Stream{seed, static_cast<uint32_t>(epoch), static_cast<uint32_t>(number), uses[column]});
      std::vector<int32_t> other = example[column];
      dropouts[column].resegment(other, random);
      if (longest == 0 || std::ssize(other) <= longest) example[column] = std::move(other);
    }
  };
  return set;
}

}  // namespace calque
