#include "train/tasks/word2vec/evaluation.h"

#include "train/tasks/evaluation.h"

namespace calque {

ExampleSet word_contexts(const Dataset& text, const Tokenizer& tokenizer,
                         const ContextOptions& options) {
  return WordContexts(text, tokenizer.size(), options, tokenizer.newline_id().value_or(-1))
      .examples();
}

SummedLoss context_loss(const Word2Vec& model, std::span<const Example> slices) {
  const PackedExamples packed = pack(slices);
  return summed(model.loss(packed.columns[read_words],
                           Segments::of_lengths(packed.columns[read_counts]),
                           packed.columns[candidate_words]));
}

ContextOptions context_options(const Config& config) {
  return {.predict = config.model.predict,
          .slice = config.data.context,
          .window = config.data.window,
          .negatives = config.training.negatives,
          .subsample = config.data.subsample,
          .seed = static_cast<uint64_t>(config.training.seed)};
}

std::vector<std::pair<std::string, double>> word2vec_values(const LossSums& sums) {
  const MeanLoss mean = mean_of(sums);
  return {{"loss", mean.loss}, {"accuracy", mean.accuracy}};
}

LossSums evaluate_word2vec(const Word2Vec& model, const Dataset& text, const Config& config,
                           const Tokenizer& tokenizer, BatchShare share) {
  constexpr int64_t words_at_once = 1024;
  ContextOptions options = context_options(config);
  options.seed = 0;
  options.subsample = 0;
  return share.sum(evaluate_in_order(
      word_contexts(text, tokenizer, options), {.tokens = words_at_once}, share,
      [&](const ExampleBatch& batch) { return context_loss(model, batch.examples).sums(); }));
}

}  // namespace calque
