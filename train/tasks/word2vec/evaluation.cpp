#include "train/tasks/word2vec/evaluation.h"

#include "core/tape.h"
#include "train/tasks/word2vec/work.h"

namespace calque {

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
  const NoGradient nothing_recorded;
  ContextOptions options = context_options(config);
  options.seed = 0;
  options.subsample = 0;
  const auto contexts = std::make_shared<const WordContexts>(text, tokenizer.size(), options,
                                                             tokenizer.newline_id().value_or(-1));
  std::vector<LossSums> sums;
  for (int64_t next = 0; next < contexts->count();) {
    std::vector<Example> slices;
    std::vector<int64_t> numbers;
    int64_t words = 0;
    do {
      contexts->read(0, next, slices.emplace_back());
      numbers.push_back(next);
      words += contexts->words(next);
    } while (++next < contexts->count() && words < words_at_once);
    sums.emplace_back();
    if (!share.computes_next()) continue;
    sums.back() =
        Word2VecWork(model, std::move(slices), std::move(numbers), contexts).forward().sums();
  }
  return share.sum(std::move(sums));
}

}  // namespace calque
