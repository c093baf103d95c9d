#include "data/batches/stream.h"

#include <doctest/doctest.h>

#include <map>
#include <vector>

#include "core/error.h"
#include "core/random.h"
#include "data/batches/examples.h"
#include "data/corpora/small_corpus.h"
#include "data/temporary_folder.h"
#include "data/tokenizers/training.h"
#include "support/message_of.h"

using namespace calque;

namespace {

Dataset dataset_of(int pairs, const std::string& cache = "") {
  const Tokenizer words = train_tokenizer(small_texts(), {.kind = TokenizerKind::words}, {});
  return load_dataset({{in_memory("toy", small_pairs(pairs))}}, {words, words},
                      {.cache_folder = cache});
}

ExampleSet set_of(const Dataset& dataset) { return examples_of(dataset, std::vector{1}); }

const ExampleSet& toy() {
  static const ExampleSet set = set_of(dataset_of(500));
  return set;
}

// The number of batches in an epoch.
int64_t epoch_size(const BatchOptions& options) {
  return BatchPlan(toy().costs, toy().parts, options, 0).size();
}

std::vector<ExampleBatch> take(BatchStream& stream, int64_t count) {
  std::vector<ExampleBatch> batches;
  for (int64_t i = 0; i < count; ++i) batches.push_back(stream.next());
  return batches;
}

}  // namespace

TEST_CASE("the stream counts epochs and positions") {
  BatchStream stream(toy(), {.tokens = 500});
  const int64_t size = epoch_size({.tokens = 500});
  REQUIRE(size > 3);
  CHECK(stream.state() == StreamState{0, 0});
  CHECK(stream.epochs() == 0);
  for (int64_t i = 1; i < size; ++i) {
    stream.next();
    CHECK(stream.state() == StreamState{0, i});
    CHECK(stream.epochs() == doctest::Approx(static_cast<double>(i) / static_cast<double>(size)));
  }
  stream.next();
  CHECK(stream.state() == StreamState{1, 0});
  CHECK(stream.epochs() == 1);
}

TEST_CASE("read() is called with the epoch and the example, also in a restored stream") {
  const BatchOptions options{.tokens = 400, .seed = 9};
  ExampleSet varying = toy();
  varying.read = [](int64_t epoch, int64_t number, Example& out) {
    out = {{static_cast<int32_t>(3 + epoch * 1000 + number)}};
  };
  BatchStream stream(varying, options);
  const auto size = static_cast<int>(epoch_size(options));
  std::vector<ExampleBatch> batches;
  for (int i = 0; i < 2 * size; ++i) {
    batches.push_back(stream.next());
    const ExampleBatch& batch = batches.back();
    REQUIRE(batch.examples.size() == batch.numbers.size());
    for (size_t j = 0; j < batch.numbers.size(); ++j) {
      CHECK(batch.examples[j][0][0] == 3 + i / size * 1000 + batch.numbers[j]);
    }
  }
  BatchStream restored(varying, options, {.epoch = 1, .position = 2});
  CHECK(restored.next() == batches[static_cast<size_t>(size) + 2]);
}

TEST_CASE("a restored stream returns the batches that follow its state") {
  const BatchOptions options{.tokens = 400, .seed = 9};
  BatchStream whole(toy(), options);
  const int count = static_cast<int>(epoch_size(options)) * 3;
  const std::vector<ExampleBatch> expected = take(whole, count);
  for (int stop = 0; stop < count; ++stop) {
    StreamState state;
    {
      BatchStream first(toy(), options);
      take(first, stop);
      state = first.state();
    }
    BatchStream second(toy(), options, state);
    for (int i = stop; i < std::min(count, stop + 5); ++i) CHECK(second.next() == expected[i]);
  }
}

TEST_CASE("epochs over 1, 2 and 3 ranks, interrupted at random, visit each sentence once") {
  Random random({.seed = 11});
  for (int trial = 0; trial < 30; ++trial) {
    const int ranks = 1 + static_cast<int>(random.below(3));
    const int epochs = 1 + static_cast<int>(random.below(3));
    const auto tokens = static_cast<int64_t>(40 + random.below(400));
    const uint64_t seed = random.next();
    std::map<int64_t, int> visits;
    for (int rank = 0; rank < ranks; ++rank) {
      const BatchOptions options{.tokens = tokens, .seed = seed, .rank = rank, .ranks = ranks};
      StreamState state;
      while (state.epoch < epochs) {
        BatchStream stream(toy(), options, state);
        const uint64_t before_interruption = 1 + random.below(40);
        for (uint64_t i = 0; i < before_interruption && state.epoch < epochs; ++i) {
          for (const int64_t line : stream.next().numbers) ++visits[line];
          state = stream.state();
        }
      }
    }
    CHECK(visits.size() == 500);
    for (const auto& [line, count] : visits) CHECK(count == epochs);
  }
}

TEST_CASE("the batches are the same from memory and from a cache") {
  const TemporaryFolder folder;
  dataset_of(500, folder.path("cache"));
  const Dataset cached = dataset_of(500, folder.path("cache"));
  REQUIRE(cached.from_cache);
  BatchStream one(toy(), {.tokens = 300}), two(set_of(cached), {.tokens = 300});
  CHECK(take(one, 60) == take(two, 60));
}

TEST_CASE("a position outside the epoch is an error") {
  const BatchOptions options{.tokens = 500};
  const int64_t size = epoch_size(options);
  CHECK_THROWS_AS(BatchStream(toy(), options, {.epoch = 0, .position = size}), Error);
  CHECK_THROWS_AS(BatchStream(toy(), options, {.epoch = 0, .position = -1}), Error);
}

TEST_CASE("an epoch without pairs is skipped") {
  Dataset dataset = dataset_of(5);
  dataset.parts[0].share.weight = 0.1;
  BatchStream stream(set_of(dataset), {.tokens = 500});
  std::map<int64_t, int> visits;
  StreamState state;
  for (int i = 0; i < 5; ++i) {
    for (const int64_t line : stream.next().numbers) ++visits[line];
    state = stream.state();
    BatchStream again(set_of(dataset), {.tokens = 500}, state);
    CHECK(again.next().numbers.size() == 1);
  }
  CHECK(visits.size() == 5);
  CHECK(state.epoch >= 9);
}

TEST_CASE("weights that give an epoch too many pairs, or no epoch any pair, are an error") {
  const auto refusal = [](double weight) {
    Dataset dataset = dataset_of(50);
    dataset.parts.front().share.weight = weight;
    return message_of([&] { BatchStream(set_of(dataset), {}); });
  };
  CHECK(refusal(1).empty());
  CHECK(refusal(0.0001).empty());
  CHECK(refusal(1e-9).find("raise the weights") != std::string::npos);
  CHECK(refusal(1e300).find("lower the weights") != std::string::npos);
}

TEST_CASE("a corpus without pairs is an error at the start if the epochs of the others end") {
  Dataset dataset = dataset_of(5);
  dataset.parts[0].share.epochs = 3;
  dataset.parts.push_back({.name = "real.en + real.de", .first_example = 5, .first_line = 5});
  CHECK(message_of([&] {
          BatchStream stream(set_of(dataset), {.tokens = 500});
        }).starts_with("real.en + real.de: no example is left"));
}

TEST_CASE(
    "an example that exceeds a batch is an error at the start, even if a later epoch visits it") {
  Dataset dataset = dataset_of(50);
  dataset.parts[0].share.weight = 0.01;
  const std::string message = message_of([&] { BatchStream(set_of(dataset), {.tokens = 3}); });
  CHECK(message.starts_with("toy, pair "));
  CHECK(message.find("do not fit into a batch of 3; raise the batch size") != std::string::npos);
}

TEST_CASE("next() throws the error of the prefetch thread") {
  const TemporaryFolder folder;
  const Dataset dataset = dataset_of(500, folder.path("cache"));
  for (const auto& entry : std::filesystem::directory_iterator(folder.path("cache"))) {
    std::filesystem::resize_file(entry.path(), 100);
  }
  BatchStream stream(set_of(dataset), {.tokens = 500});
  CHECK_THROWS_AS(take(stream, 10), Error);
  CHECK_THROWS_AS(stream.next(), Error);
}

TEST_CASE("a stream can be destroyed at any time") {
  for (int i = 0; i < 50; ++i) {
    BatchStream stream(toy(), {.tokens = 50});
    take(stream, i % 5);
  }
}
