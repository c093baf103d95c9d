#include "train/tasks/translation/shortlist_learning.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "data/datasets/dataset.h"
#include "train/tasks/data_settings.h"
#include "train/tasks/translation/context.h"

namespace calque {
namespace {

Dataset dataset_of(const TranslationRun& run, const std::vector<CorpusSource>& corpora) {
  std::vector<CorpusSource> read;
  for (const CorpusSource& corpus : corpora) {
    read.push_back(with_contexts_in_memory(corpus, run.config.data));
  }
  return load_dataset(read, {run.tokenizers.source, run.tokenizers.target},
                      {filter_options(run.config.data), ""});
}

// Examples at equal distances, so that their words have at most about 200 million pairs.
std::vector<Example> sample_of(const Dataset& dataset) {
  constexpr double most_pairs = 2e8;
  const TokenStore& tokens = *dataset.tokens;
  double pairs = 0;
  for (int64_t i = 0; i < tokens.count(); ++i) {
    pairs += static_cast<double>(tokens.length(i, 0)) * static_cast<double>(tokens.length(i, 1));
  }
  const auto distance = static_cast<int64_t>(pairs / most_pairs) + 1;
  std::vector<Example> examples;
  for (int64_t i = 0; i < tokens.count(); i += distance) tokens.read(i, examples.emplace_back());
  return examples;
}

// Names are copied: each source token has the target token with its spelling too.
Shortlist with_copies(const Shortlist& list, const Tokenizers& tokenizers) {
  std::vector<std::vector<int32_t>> of_tokens = list.of_tokens();
  for (int32_t id = special_ids; id < std::ssize(of_tokens); ++id) {
    const std::optional<int32_t> copy = tokenizers.target.find(tokenizers.source.symbol(id));
    if (copy && std::ranges::count(of_tokens[id], *copy) == 0) of_tokens[id].push_back(*copy);
  }
  return {list.always(), std::move(of_tokens)};
}

}  // namespace

Shortlist learn_shortlist(const TranslationRun& run, const std::vector<CorpusSource>& corpora,
                          const ShortlistOptions& options) {
  const std::vector<Example> examples = sample_of(dataset_of(run, corpora));
  std::vector<AlignedIds> pairs;
  for (const Example& example : examples) pairs.push_back({example[0], example[1]});
  const Shortlist list = Shortlist::learn(pairs, run.tokenizers.source.size(), options);
  return with_copies(list, run.tokenizers);
}

ShortlistRecall recall_of(const Shortlist& list, const TranslationRun& run,
                          const std::vector<CorpusSource>& corpora) {
  const Dataset dataset = dataset_of(run, corpora);
  ShortlistRecall recall;
  Example example;
  for (int64_t i = 0; i < dataset.tokens->count(); ++i) {
    dataset.tokens->read(i, example);
    const std::vector<int32_t> outputs = list.of(example[0]);
    const auto found = std::ranges::count_if(
        example[1], [&](int32_t id) { return std::ranges::binary_search(outputs, id); });
    ++recall.pairs;
    recall.whole += found == std::ssize(example[1]);
    recall.tokens += std::ssize(example[1]);
    recall.found += found;
    recall.listed += std::ssize(outputs);
  }
  return recall;
}

}  // namespace calque
