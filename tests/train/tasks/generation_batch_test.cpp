// Texts that are generated together: the same as alone, whoever joins and leaves.
#include "train/tasks/language_model/generation_batch.h"

#include <doctest/doctest.h>

#include <stdexcept>

#include "data/tokenizers/training.h"
#include "data/tokenizers/vocabulary.h"
#include "train/tasks/task_model.h"

namespace calque {
namespace {

using Texts = std::vector<std::vector<GeneratedText>>;

struct SmallWriter {
  Tokenizer tokenizer = train_tokenizer({}, {.kind = TokenizerKind::bytes}, {});
  TaskModel<LanguageModel> network{{.layer = {.d_model = 16,
                                              .d_ff = 32,
                                              .heads = 4,
                                              .kv_heads = 2,
                                              .positions = PositionKind::rotary,
                                              .norm_placement = NormPlacement::pre,
                                              .attention = {.window = 9, .full_every = 2}},
                                    .vocabulary = tokenizer.size(),
                                    .layers = 2}};
  SmallWriter() { network.parameters.initialise(7); }
};

const SmallWriter& writer() {
  static const SmallWriter one;
  return one;
}

// A prompt of bytes. Those with the same seed begin alike.
std::vector<int32_t> prompt_of(int size, int seed) {
  std::vector<int32_t> ids = {begin_id};
  for (int i = 1; i < size; ++i) ids.push_back(3 + (i * 37 + seed * 101 + i * i * seed) % 256);
  return ids;
}

// A request whose texts are stored in `to`.
GenerationRequest request_of(int number, Texts& to) {
  GenerationRequest request{.prompts = {prompt_of(1 + 31 * number % 230, number)}};
  request.options.sampling = {
      .temperature = 1.5, .top_p = 0.95, .seed = static_cast<uint64_t>(number)};
  request.options.max_tokens = 5 + 7 * number % 40;
  request.options.context = 240;
  request.options.samples = 1 + number % 3;
  request.done = [&to](Texts texts) { to = std::move(texts); };
  request.failed = [](const std::exception_ptr& why) { std::rethrow_exception(why); };
  return request;
}

GenerationBatch batch_of(PrefixCache* cache = nullptr) {
  return {writer().network.model, writer().tokenizer, GenerationBatch::Sharing::like_alone, cache};
}

void run(GenerationBatch& batch) {
  while (batch.advance()) {
  }
}

Texts alone(int number) {
  Texts texts;
  GenerationBatch batch = batch_of();
  batch.add(request_of(number, texts));
  run(batch);
  return texts;
}

void check_same(const Texts& a, const Texts& b) {
  REQUIRE(a.size() == b.size());
  for (size_t p = 0; p < a.size(); ++p) {
    REQUIRE(a[p].size() == b[p].size());
    for (size_t i = 0; i < a[p].size(); ++i) {
      CHECK(a[p][i].ids == b[p][i].ids);
      CHECK(a[p][i].text == b[p][i].text);
      CHECK(a[p][i].finish == b[p][i].finish);
      CHECK(a[p][i].log_probability == b[p][i].log_probability);
    }
  }
}

}  // namespace

TEST_CASE("texts that join at any token have the bits of texts that are generated alone") {
  constexpr int count = 20;
  std::vector<Texts> found(count);
  GenerationBatch batch = batch_of();
  for (int i = 0; i < count; ++i) {
    batch.add(request_of(i, found[static_cast<size_t>(i)]));
    for (int step = 0; step < i % 4; ++step) batch.advance();
  }
  run(batch);
  for (int i = 0; i < count; ++i) {
    CAPTURE(i);
    check_same(found[static_cast<size_t>(i)], alone(i));
  }
}

TEST_CASE("texts after kept prompts have the bits of texts whose prompts are read") {
  PrefixCache cache(1 << 24);
  std::vector<Texts> first(8), second(8);
  GenerationBatch batch = batch_of(&cache);
  for (int i = 0; i < 8; ++i) batch.add(request_of(i, first[static_cast<size_t>(i)]));
  run(batch);
  for (int i = 0; i < 8; ++i) batch.add(request_of(i, second[static_cast<size_t>(i)]));
  run(batch);
  for (int i = 0; i < 8; ++i) {
    CAPTURE(i);
    check_same(first[static_cast<size_t>(i)], alone(i));
    check_same(second[static_cast<size_t>(i)], first[static_cast<size_t>(i)]);
    const int64_t read = std::ssize(prompt_of(1 + 31 * i % 230, i)) - 1;
    CHECK(first[static_cast<size_t>(i)][0][0].cached_tokens == 0);
    CHECK(second[static_cast<size_t>(i)][0][0].cached_tokens ==
          read / KeyBlock::capacity * KeyBlock::capacity);
  }
  CHECK(cache.counts().texts == 16);
  CHECK(cache.counts().hits == 5);
}

TEST_CASE("prompts that are read at the same time share the blocks at their beginning") {
  PrefixCache cache(1 << 24);
  GenerationBatch batch = batch_of(&cache);
  std::vector<Texts> found(3);
  for (Texts& each : found) batch.add(request_of(6, each));  // two blocks
  run(batch);
  CHECK(cache.counts().tokens == 2 * 2 * KeyBlock::capacity);
  for (const Texts& each : found) check_same(each, alone(6));
}

TEST_CASE("a cancelled request leaves at the next token, and the others do not notice") {
  GenerationBatch batch = batch_of();
  Texts left, stayed, queued;
  bool gone = false;
  GenerationRequest leaving = request_of(4, left);
  leaving.cancelled = [&] { return gone; };
  int tokens = 0;
  leaving.sink = [&](size_t, size_t, const std::string&) { ++tokens; };
  batch.add(std::move(leaving));
  GenerationRequest waiting = request_of(7, queued);  // its prompt is still being read
  waiting.cancelled = [&] { return gone; };
  batch.add(std::move(waiting));
  batch.add(request_of(5, stayed));
  for (int i = 0; i < 4; ++i) batch.advance();
  gone = true;
  const int before = tokens;
  run(batch);
  CHECK(tokens == before);
  CHECK(left.empty());
  CHECK(queued.empty());
  check_same(stayed, alone(5));
}

TEST_CASE("an exception of a sink or of a receiver fails that request alone") {
  GenerationBatch batch = batch_of();
  Texts a, b, other;
  std::vector<std::string> failures;
  const auto keep_failure = [&](const std::exception_ptr& why) {
    try {
      std::rethrow_exception(why);
    } catch (const std::exception& error) {
      failures.emplace_back(error.what());
    }
  };
  GenerationRequest sending = request_of(3, a), receiving = request_of(4, b);
  sending.sink = [](size_t, size_t, const std::string&) { throw std::runtime_error("sink"); };
  sending.failed = keep_failure;
  receiving.done = [](const Texts&) { throw std::runtime_error("receiver"); };
  receiving.failed = keep_failure;
  batch.add(std::move(sending));
  batch.add(std::move(receiving));
  batch.add(request_of(5, other));
  run(batch);
  CHECK(failures == std::vector<std::string>{"sink", "receiver"});
  check_same(other, alone(5));
}

TEST_CASE("requests beyond the texts that are generated at once wait for their turn") {
  GenerationBatch batch = batch_of();
  std::vector<Texts> found(100);
  for (int i = 0; i < 100; ++i) batch.add(request_of(i % 10, found[static_cast<size_t>(i)]));
  run(batch);
  for (int i = 0; i < 100; ++i) check_same(found[static_cast<size_t>(i)], alone(i % 10));
}

}  // namespace calque
