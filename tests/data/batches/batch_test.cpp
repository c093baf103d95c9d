#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <vector>

#include "core/error.h"
#include "data/batches/examples.h"
#include "data/batches/pair_batch.h"
#include "data/batches/plan.h"
#include "data/batches/stream.h"
#include "data/corpora/small_corpus.h"
#include "data/datasets/epoch_order.h"
#include "data/files/content_hash.h"
#include "data/tokenizers/training.h"
#include "data/tokenizers/vocabulary.h"

using namespace calque;

namespace {

Dataset dataset_of(const std::vector<CorpusSource>& corpora) {
  const Tokenizer words = train_tokenizer(small_texts(), {.kind = TokenizerKind::words}, {});
  return load_dataset(corpora, {words, words}, {});
}

const Dataset& toy() {
  static const Dataset dataset = dataset_of({{in_memory("toy", small_pairs(1000))}});
  return dataset;
}

std::vector<uint32_t> pairs_of(const BatchPlan& plan) {
  std::vector<uint32_t> pairs;
  for (int64_t i = 0; i < plan.size(); ++i) {
    pairs.insert(pairs.end(), plan.batch(i).begin(), plan.batch(i).end());
  }
  return pairs;
}

std::vector<uint32_t> sorted(std::vector<uint32_t> pairs) {
  std::ranges::sort(pairs);
  return pairs;
}

std::vector<uint32_t> zero_to(int64_t count) {
  std::vector<uint32_t> all(count);
  std::iota(all.begin(), all.end(), 0u);
  return all;
}

using Ids = std::vector<int32_t>;

BatchPlan plan_of(const Dataset& dataset, const BatchOptions& options, int64_t epoch,
                  const std::vector<int>& columns = {1}) {
  return {costs_of(*dataset.tokens, columns), dataset.ranges(), options, epoch};
}

PairBatch read_batch(const Dataset& dataset, std::span<const uint32_t> numbers) {
  std::vector<Example> examples(numbers.size());
  for (size_t i = 0; i < numbers.size(); ++i) dataset.tokens->read(numbers[i], examples[i]);
  return make_pair_batch(examples);
}

}  // namespace

TEST_CASE("a batch concatenates its sentences without padding") {
  const PairBatch batch = make_pair_batch(std::vector<Example>{{{5, 6, 7}, {8}}, {{9}, {10, 11}}});
  CHECK(batch.source == Ids{5, 6, 7, end_id, 9, end_id});
  CHECK(batch.source_segments.offsets() == Ids{0, 4, 6});
  CHECK(batch.decoder_input == Ids{begin_id, 8, begin_id, 10, 11});
  CHECK(batch.expected == Ids{8, end_id, 10, 11, end_id});
  CHECK(batch.target_segments.offsets() == Ids{0, 2, 5});
  CHECK(batch.pairs() == 2);
}

TEST_CASE("sources may lack </s>, unless they are empty") {
  const std::vector<Example> pairs = {{{5, 6, 7}, {8}}, {{}, {10, 11}}, {{9}, {}}};
  const PairBatch batch = make_pair_batch(pairs, /*source_end=*/false);
  const PairBatch usual = make_pair_batch(pairs);
  CHECK(batch.source == Ids{5, 6, 7, end_id, 9});
  CHECK(batch.source_segments.offsets() == Ids{0, 3, 4, 5});
  CHECK(batch.decoder_input == usual.decoder_input);
  CHECK(batch.expected == usual.expected);
  CHECK(usual.source == Ids{5, 6, 7, end_id, end_id, 9, end_id});
}

TEST_CASE("a pair batch requires examples of two columns") {
  CHECK_THROWS_AS(make_pair_batch(std::vector<Example>{{{5}}}), Misuse);
}

TEST_CASE("no batch exceeds its limits, and at most one is half empty") {
  for (const std::vector<int>& columns : {std::vector{0}, {1}, {0, 1}}) {
    for (const int64_t sentences : {0, 7}) {
      const BatchPlan plan = plan_of(toy(), {.tokens = 100, .examples = sentences}, 0, columns);
      int64_t half_empty = 0;
      for (int64_t i = 0; i < plan.size(); ++i) {
        const PairBatch batch = read_batch(toy(), plan.batch(i));
        int64_t tokens = 0;
        for (const int column : columns) {
          tokens += (column == 0 ? batch.source_segments : batch.target_segments).tokens();
        }
        CHECK(tokens <= 100);
        if (sentences > 0) CHECK(batch.pairs() <= sentences);
        const bool full = tokens > 50 || batch.pairs() == sentences;
        half_empty += full ? 0 : 1;
      }
      CHECK(half_empty <= 1);
    }
  }
}

TEST_CASE("the sentences of a batch have similar lengths, and batches are shuffled") {
  const BatchPlan plan = plan_of(toy(), {.tokens = 200}, 0);
  std::vector<int64_t> longest;
  for (int64_t i = 0; i < plan.size(); ++i) {
    int64_t low = 1 << 30, high = 0;
    for (const uint32_t pair : plan.batch(i)) {
      low = std::min(low, toy().tokens->length(pair, 1));
      high = std::max(high, toy().tokens->length(pair, 1));
    }
    CHECK(high - low <= 3);
    longest.push_back(high);
  }
  CHECK_FALSE(std::ranges::is_sorted(longest));
}

TEST_CASE("an epoch visits every sentence once, in another order than other epochs") {
  const BatchOptions options{.tokens = 120, .seed = 3};
  const auto first = pairs_of(plan_of(toy(), options, 0));
  const auto second = pairs_of(plan_of(toy(), options, 1));
  CHECK(sorted(first) == zero_to(1000));
  CHECK(sorted(second) == zero_to(1000));
  CHECK(first != second);
  CHECK(first == pairs_of(plan_of(toy(), options, 0)));
  BatchOptions other = options;
  other.seed = 4;
  CHECK(first != pairs_of(plan_of(toy(), other, 0)));
}

TEST_CASE("all ranks have the same number of batches, and each sentence is on exactly one rank") {
  for (int ranks = 1; ranks <= 17; ++ranks) {
    for (int64_t epoch = 0; epoch < 3; ++epoch) {
      std::vector<uint32_t> all;
      int64_t size = -1;
      for (int rank = 0; rank < ranks; ++rank) {
        const BatchPlan plan = plan_of(toy(), {.tokens = 300, .rank = rank, .ranks = ranks}, epoch);
        CHECK((size < 0 || plan.size() == size));
        size = plan.size();
        for (const uint32_t pair : pairs_of(plan)) all.push_back(pair);
        for (int64_t i = 0; i < plan.size(); ++i) CHECK_FALSE(plan.batch(i).empty());
      }
      CHECK(sorted(all) == zero_to(1000));
    }
  }
}

TEST_CASE("five sentences are shared among five ranks, but not among six") {
  const Dataset few = dataset_of({{in_memory("few", small_pairs(5))}});
  std::vector<uint32_t> all;
  for (int rank = 0; rank < 5; ++rank) {
    const BatchPlan plan = plan_of(few, {.rank = rank, .ranks = 5}, 0);
    CHECK(plan.size() == 1);
    for (const uint32_t pair : pairs_of(plan)) all.push_back(pair);
  }
  CHECK(sorted(all) == zero_to(5));
  CHECK_THROWS_WITH_AS(plan_of(few, {.rank = 0, .ranks = 6}, 0),
                       "5 examples cannot be shared among 6 ranks; start fewer", Error);
}

TEST_CASE("without shuffling the pairs keep their order") {
  CHECK(pairs_of(plan_of(toy(), {.tokens = 100, .shuffle = false}, 5)) == zero_to(1000));
}

TEST_CASE("the error about a sentence that exceeds a batch names the sentence") {
  const Dataset dataset = dataset_of({{in_memory("toy", {{"a", "ein"}, {"a", "a b c d e"}})}});
  const ExampleSet set = examples_of(dataset, std::vector{1});
  CHECK_THROWS_WITH_AS(
      require_fit(set.costs, {.tokens = 5}, set.where),
      "toy, pair 2: 6 tokens do not fit into a batch of 5; raise the batch size or lower the "
      "maximum length",
      Error);
  CHECK_THROWS_AS(plan_of(dataset, {.tokens = 5}, 0), Misuse);
  require_fit(set.costs, {.tokens = 6}, set.where);
  CHECK(plan_of(dataset, {.tokens = 6}, 0).size() == 2);
  require_fit(set.costs, {.tokens = 0, .examples = 2}, set.where);
  CHECK(plan_of(dataset, {.tokens = 0, .examples = 2}, 0).size() == 1);
}

TEST_CASE("without shuffling a sentence that exceeds a batch is a batch of its own") {
  // Evaluation reads every sentence, in order, at the costs of any columns.
  const Dataset dataset = dataset_of(
      {{in_memory("toy", {{"a b c", "ein"}, {"a", "a b c d e"}, {"b", "c"}, {"b", "d"}})}});
  const auto batches = [&](const std::vector<int>& columns) {
    const BatchPlan plan(costs_of(*dataset.tokens, columns), {}, {.tokens = 5, .shuffle = false},
                         0);
    std::vector<std::vector<uint32_t>> found;
    for (int64_t i = 0; i < plan.size(); ++i) {
      found.emplace_back(plan.batch(i).begin(), plan.batch(i).end());
    }
    return found;
  };
  CHECK(batches({1}) == std::vector<std::vector<uint32_t>>{{0}, {1}, {2, 3}});
  CHECK(batches({0}) == std::vector<std::vector<uint32_t>>{{0}, {1, 2}, {3}});
  CHECK(batches({0, 1}) == std::vector<std::vector<uint32_t>>{{0}, {1}, {2}, {3}});
}

TEST_CASE("an unshuffled plan cuts at both limits") {
  // By hand: unshuffled batches of at most 10 tokens and 3 examples.
  const std::vector<int32_t> costs = {4, 4, 4, 1, 1, 1, 10, 2};
  const std::vector<SharedRange> parts = {{.first = 0, .count = 8}};
  const BatchPlan plan(costs, parts, {.tokens = 10, .examples = 3, .shuffle = false}, 0);
  std::vector<std::vector<uint32_t>> batches;
  for (int64_t i = 0; i < plan.size(); ++i) {
    batches.emplace_back(plan.batch(i).begin(), plan.batch(i).end());
  }
  CHECK(batches == std::vector<std::vector<uint32_t>>{{0, 1}, {2, 3, 4}, {5}, {6}, {7}});
}

TEST_CASE("plans and batches have the recorded hashes") {
  // With other plans, resumed runs would see other batches.
  const Tokenizer words = train_tokenizer(small_texts(), {.kind = TokenizerKind::words}, {});
  const Dataset dataset = load_dataset({{in_memory("toy", small_pairs(700)), {2.0}},
                                        {in_memory("b", small_pairs(300, 2)), {0.5}},
                                        {in_memory("c", small_pairs(100, 3)), {1.0, 2}}},
                                       {words, words}, {});
  const auto hash_of = [&](const std::vector<int>& columns) {
    ContentHash hash;
    for (const int64_t epoch : {0, 1, 2, 7}) {
      for (const int ranks : {1, 3}) {
        for (int rank = 0; rank < ranks; ++rank) {
          for (const int64_t most : {0, 7}) {
            for (const bool shuffle : {true, false}) {
              const BatchPlan plan = plan_of(dataset,
                                             {.tokens = 150,
                                              .examples = most,
                                              .seed = 5,
                                              .shuffle = shuffle,
                                              .rank = rank,
                                              .ranks = ranks},
                                             epoch, columns);
              hash.add(plan.size());
              for (int64_t i = 0; i < plan.size(); ++i) {
                hash.add(std::ssize(plan.batch(i)));
                for (const uint32_t pair : plan.batch(i)) hash.add(pair);
              }
            }
          }
        }
      }
    }
    return hash.value();
  };
  CHECK(hash_of({0}) == 0xfe53066d95fba1e9);
  CHECK(hash_of({1}) == 0x6fb1b0ba385eaae5);
  CHECK(hash_of({0, 1}) == 0x03642b33ecee5533);

  BatchStream stream(examples_of(dataset, std::vector{1}), {.tokens = 300, .seed = 9},
                     {.epoch = 1, .position = 2});
  ContentHash all;
  for (int i = 0; i < 100; ++i) {
    const ExampleBatch examples = stream.next();
    const PairBatch batch = make_pair_batch(examples.examples);
    ContentHash hash;
    for (const auto* ids : {&batch.source, &batch.decoder_input, &batch.expected}) {
      hash.add(ids->size());
      for (const int32_t id : *ids) hash.add(id);
    }
    for (const Segments* segments : {&batch.source_segments, &batch.target_segments}) {
      for (const int32_t offset : segments->offsets()) hash.add(offset);
    }
    for (const int64_t number : examples.numbers) hash.add(dataset.tokens->line(number));
    all.add(hash.value());
  }
  CHECK(all.value() == 0x96c1953e62b8d033);
  CHECK(stream.state() == StreamState{2, 48});
}

TEST_CASE("an epoch visits a corpus as often as its weight says") {
  const std::vector<SharedRange> ranges = {{.first = 0, .count = 10, .share = {.weight = 2}},
                                           {.first = 10, .count = 9, .share = {.weight = 1.0 / 3}}};
  for (int64_t epoch = 0; epoch < 30; epoch += 3) {
    std::map<uint32_t, int> three_epochs;
    for (int64_t e = epoch; e < epoch + 3; ++e) {
      std::map<uint32_t, int> once;
      for (const uint32_t pair : epoch_order(ranges, 1, e)) ++once[pair], ++three_epochs[pair];
      for (uint32_t pair = 0; pair < 10; ++pair) CHECK(once[pair] == 2);
    }
    for (uint32_t pair = 10; pair < 19; ++pair) CHECK(three_epochs[pair] == 1);
  }
}

TEST_CASE("a corpus with epochs takes part only in the first ones") {
  const std::vector<SharedRange> ranges = {{.first = 0, .count = 10},
                                           {.first = 10, .count = 9, .share = {.epochs = 2}}};
  for (const int64_t epoch : {0, 1}) CHECK(epoch_order(ranges, 1, epoch).size() == 19);
  for (const int64_t epoch : {2, 3, 100}) {
    std::vector<uint32_t> pairs = epoch_order(ranges, 1, epoch);
    std::ranges::sort(pairs);
    CHECK(pairs == std::vector<uint32_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  }
}

TEST_CASE("over many epochs each pair comes first about equally often") {
  const std::vector<SharedRange> ranges = {{.first = 0, .count = 8}};
  std::vector<int> firsts(8);
  for (int64_t epoch = 0; epoch < 8000; ++epoch) ++firsts[epoch_order(ranges, 5, epoch)[0]];
  for (const int count : firsts) CHECK(std::abs(count - 1000) < 150);  // five standard deviations
}
