// The scores of a translation model.
#include "train/tasks/translation/evaluation.h"

#include <doctest/doctest.h>

#include <cmath>

#include "data/batches/pair_batch.h"
#include "data/corpora/small_corpus.h"
#include "data/tokenizers/training.h"
#include "train/tasks/task_model.h"
#include "train/tasks/translation/validation.h"

using namespace calque;

namespace {

// Counts the pauses between batches.
BatchShare counting(int& count) {
  return {only_rank(), [&count] {
            ++count;
            return false;
          }};
}

}  // namespace

TEST_CASE("sums over tokens become means, and a perplexity") {
  const MeanLoss scores = mean_of(LossSums{.loss = 30, .nll = 20, .correct = 4, .terms = 10});
  CHECK(scores.loss == doctest::Approx(3));
  CHECK(scores.nll == doctest::Approx(2));
  CHECK(scores.perplexity == doctest::Approx(std::exp(2.0)));
  CHECK(scores.accuracy == doctest::Approx(0.4));
  CHECK(mean_of(LossSums()).loss == 0);  // of nothing
}

TEST_CASE("exact matches are the share of equal lines") {
  CHECK(exact_share({"a b", "c", "", "d "}, {"a b", "C", "", "d"}) == doctest::Approx(0.5));
  CHECK(exact_share({}, {}) == 0);
}

TEST_CASE("the scores of a dataset are sums over its pairs, whatever the batches and the dropout") {
  const Tokenizer words = train_tokenizer(small_texts(), {.kind = TokenizerKind::words}, {});
  const Dataset dataset =
      load_dataset({{in_memory("small", small_pairs(40))}}, {words, words}, {.filters = {}});
  REQUIRE(dataset.examples() == 40);
  TaskModel<Transformer> network(
      {.layer = {.d_model = 8, .d_ff = 16, .heads = 2, .dropout = real(0.5)},
       .source_vocabulary = words.size(),
       .target_vocabulary = words.size(),
       .encoder_layers = 1,
       .decoder_layers = 1});
  network.parameters.initialise(1);

  LossSums expected;
  for (int64_t pair = 0; pair < 40; ++pair) {
    Example example;
    dataset.tokens->read(pair, example);
    const PairBatch one = make_pair_batch(std::span(&example, 1));
    const TokenLoss loss =
        network.model.loss(one.source, one.source_segments, one.decoder_input, one.expected,
                           one.target_segments, real(0.1), Mode::evaluate);
    expected.loss += double(loss.loss.item());
    expected.nll += loss.nll;
    expected.correct += loss.correct;
    expected.terms += loss.tokens;
  }
  TrainingConfig training;
  training.label_smoothing = 0.1;
  for (const int64_t batch_tokens : {1, 30, 100000}) {
    training.batch_tokens = batch_tokens;
    int between = 0;
    const LossSums sums = evaluate_tokens(network.model, dataset, training, counting(between));
    CHECK(sums.terms == expected.terms);
    CHECK(sums.correct == expected.correct);
    CHECK(sums.nll == doctest::Approx(expected.nll).epsilon(1e-5));
    CHECK(sums.loss == doctest::Approx(expected.loss).epsilon(1e-5));
    if (batch_tokens == 1) CHECK(between == 39);
    if (batch_tokens == 100000) CHECK(between == 0);
  }

  // Batches are those of training: by sentences, or by the tokens of both sides.
  const auto batches = [&] {
    int count = 1;
    evaluate_tokens(network.model, dataset, training, counting(count));
    return count;
  };
  training.batch_tokens = 0, training.batch_sentences = 10;
  CHECK(batches() == 4);
  training.batch_tokens = 30, training.batch_sentences = 0;
  const int by_target = batches();
  training.batch_by = TrainingConfig::BatchBy::both;
  CHECK(batches() > by_target);
}
