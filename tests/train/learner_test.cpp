// One step of training: what the settings do to it, and how a batch is split.
#include "train/step/learner.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "core/memory/pool.h"
#include "data/batches/pair_batch.h"
#include "data/documents/dataset.h"
#include "data/documents/windows.h"
#include "data/tokenizers/training.h"
#include "train/pair_work.h"
#include "train/step/chunks.h"
#include "train/step/slices.h"
#include "train/tasks/task_model.h"

using namespace calque;

namespace {

const LayerOptions small_layer{.d_model = 8, .d_ff = 16, .heads = 2, .dropout = 0};
const TransformerOptions options{.layer = small_layer,
                                 .source_vocabulary = 10,
                                 .target_vocabulary = 10,
                                 .encoder_layers = 1,
                                 .decoder_layers = 1};
const std::vector<int32_t> words = {3, 4, 5, 6, 7};

std::vector<Example> five_pairs() {
  std::vector<Example> pairs;
  for (int64_t i = 1; i <= 5; ++i) {
    pairs.push_back({{words.begin(), words.begin() + i}, {words.end() - i, words.end()}});
  }
  return pairs;
}

const std::vector<Example>& examples_of(const Work& work) {
  return dynamic_cast<const ExampleWork&>(work).batch().examples;
}

// A model under training, and one batch of five pairs.
struct Small {
  TrainingConfig training;
  TaskModel<Transformer> network{options};
  Learner learner;
  Works works;

  explicit Small(const TrainingConfig& settings)
      : training(settings), learner(training, network.parameters) {
    learner.initialise();
    works.push_back(tests::pair_work(network.model, training, five_pairs()));
  }
  StepOutcome step(double rate) { return learner.step(works, 0, rate); }
};

// The first step of plain gradient descent with rate 1, and how far it moved the weights.
struct FirstStep {
  StepOutcome outcome;
  double moved = 0;
};
FirstStep first_step(TrainingConfig training) {
  training.optimizer = TrainingConfig::Optimizer::sgd;
  training.momentum = 0;
  training.weight_decay = 0;
  Small small(training);
  const std::span<const real> values = small.network.parameters.values();
  const std::vector<real> before(values.begin(), values.end());
  FirstStep step{small.step(1)};
  for (size_t i = 0; i < before.size(); ++i) {
    step.moved += std::pow(double(values[i]) - double(before[i]), 2);
  }
  step.moved = std::sqrt(step.moved);
  return step;
}

}  // namespace

TEST_CASE("a gradient above clip_norm moves the weights as far as one of that norm") {
  TrainingConfig training;
  training.clip_norm = 0;
  const FirstStep whole = first_step(training);
  CHECK(whole.moved == doctest::Approx(whole.outcome.update.gradient_norm).epsilon(1e-4));
  training.clip_norm = 0.5 * whole.moved;
  const FirstStep clipped = first_step(training);
  CHECK(clipped.moved == doctest::Approx(0.5 * whole.moved).epsilon(1e-4));
  CHECK(clipped.outcome.update.gradient_norm == whole.outcome.update.gradient_norm);
  training.clip_norm = 2 * whole.moved;
  CHECK(first_step(training).moved == whole.moved);
}

TEST_CASE("label_smoothing changes the loss of a step, but not its log-likelihood") {
  TrainingConfig training;
  const auto sums = [&](double label_smoothing) {
    training.label_smoothing = label_smoothing;
    return first_step(training).outcome.sums;
  };
  const LossSums plain = sums(0), some = sums(0.1), more = sums(0.3);
  CHECK(plain.terms == 20);  // 1 to 5 words, and </s>
  CHECK(plain.loss == doctest::Approx(plain.nll));
  CHECK(some.nll == doctest::Approx(plain.nll));
  // The loss is (1 - e) times the NLL plus e times its mean over the vocabulary: linear in e.
  CHECK(std::abs(some.loss - plain.loss) > 1e-3);
  CHECK(more.loss - plain.loss == doctest::Approx(3 * (some.loss - plain.loss)).epsilon(1e-3));
}

TEST_CASE("a step releases its gradients, so that validation has their memory") {
  Small small{TrainingConfig()};
  small.step(1e-3);
  const int64_t held = memory_statistics().used;
  small.network.parameters.clear_gradients();
  CHECK(memory_statistics().used == held);
}

TEST_CASE("a step that is not finite is repeated to find the op, unless check_finite is false") {
  const auto forwards = [](bool check, std::string& diagnosis) {
    TrainingConfig training;
    training.check_finite = check;
    Small small(training);
    small.network.parameters.values()[0] = std::numeric_limits<real>::quiet_NaN();
    Profile profile;
    const Profiling profiling(profile);
    const StepOutcome outcome = small.step(1);
    CHECK(!outcome.update.finite);
    diagnosis = outcome.diagnosis;
    return profile.sum_of("forward", Profile::Kind::phase).calls;
  };
  std::string with, without;
  CHECK(forwards(true, with) == 2);
  CHECK(forwards(false, without) == 1);
  CHECK(!with.empty());
  CHECK_MESSAGE(without.ends_with("not finite"), without);
  CHECK(with != without);
}

TEST_CASE("a step over twice the batches has twice the FLOPs") {
  Small small{TrainingConfig()};
  const double once = small.step(0).flops;
  CHECK(once > 0);
  small.works.push_back(std::move(small.works[0]->split(1).front()));
  CHECK(small.step(0).flops == doctest::Approx(2 * once));
}

TEST_CASE("a batch in chunks has the same sentences in the same order, and nearly the same step") {
  Small small{TrainingConfig()};
  const Works parts = small.works[0]->split(3);
  CHECK(parts.size() >= 3);
  std::vector<Example> joined;
  WorkSize size;
  for (const auto& part : parts) {
    size.examples += part->size().examples;
    size.tokens += part->size().tokens;
    std::ranges::copy(examples_of(*part), std::back_inserter(joined));
  }
  CHECK(joined == five_pairs());
  CHECK(size.examples == 5);
  CHECK(size.tokens == small.works[0]->size().tokens);

  Small split{TrainingConfig()};
  split.learner.divide({.slices = 1, .chunks = 3});
  const StepOutcome a = small.step(0.001), b = split.step(0.001);
  CHECK(a.sums.loss == doctest::Approx(b.sums.loss));
  CHECK(a.sums.terms == b.sums.terms);
  CHECK(a.update.gradient_norm == doctest::Approx(b.update.gradient_norm));
}

TEST_CASE("tokens are counted with </s>, which sources may lack") {
  const std::vector<Example> pairs = {{{3, 4}, {5}}, {{}, {6, 7}}, {{5}, {}}, {{7, 3}, {3, 4}}};
  const TrainingConfig training;
  for (const bool source_end : {true, false}) {
    TransformerOptions own = options;
    own.source_end = source_end;
    const TaskModel<Transformer> network(own);
    const auto work = tests::pair_work(network.model, training, pairs);
    const PairBatch batch = make_pair_batch(pairs, source_end);
    CHECK(work->size().tokens == std::ssize(batch.source) + std::ssize(batch.expected));
    const Works parts = work->split(2);
    REQUIRE(parts.size() == 2);
    CHECK(parts[0]->size().tokens + parts[1]->size().tokens == work->size().tokens);
    std::vector<Example> joined = examples_of(*parts[0]);
    std::ranges::copy(examples_of(*parts[1]), std::back_inserter(joined));
    CHECK(joined == pairs);
  }
}

TEST_CASE("short sentences are split into the requested number of nearly equal chunks") {
  PairBatch many;
  for (int64_t i = 0; i < 100; ++i) {
    append_pair(std::span(words), std::span(words).first(static_cast<size_t>(1 + i % 5)), many);
  }
  const Segments& targets = many.target_segments;
  for (const int64_t chunks : {1, 2, 3, 4, 7}) {
    std::vector<int64_t> begins = chunk_begins(targets, chunks);
    REQUIRE(std::ssize(begins) == chunks);
    CHECK(begins.front() == 0);
    begins.push_back(targets.count());
    const int64_t share = (targets.tokens() + chunks - 1) / chunks;
    for (size_t i = 0; i + 1 < begins.size(); ++i) {
      int64_t tokens = 0;
      for (int64_t pair = begins[i]; pair < begins[i + 1]; ++pair) tokens += targets.length(pair);
      CHECK(tokens > share / 2);
      CHECK(tokens <= share + share / 16);
    }
  }
}

TEST_CASE("sentences of equal length are split into no more chunks than requested") {
  PairBatch three;
  for (int i = 0; i < 3; ++i) append_pair(std::span(words), std::span(words).first(4), three);
  CHECK(chunk_begins(three.target_segments, 2) == std::vector<int64_t>{0, 2});
}

TEST_CASE("where() of a chunk names only its own pairs") {
  const Tokenizer tokenizer = train_tokenizer({"a b c"}, {.kind = TokenizerKind::words}, {});
  const auto dataset = std::make_shared<const Dataset>(
      load_dataset({{in_memory("five",
                               std::vector<std::pair<std::string, std::string>>{
                                   {"a", "b"}, {"b", "a c"}, {"c a", "a"}, {"a c", "c a b"}})}},
                   {tokenizer, tokenizer}, {.filters = {}}));
  std::vector<Example> pairs(4);
  for (int64_t i = 0; i < 4; ++i) dataset->tokens->read(i, pairs[static_cast<size_t>(i)]);
  const TrainingConfig training;
  const TaskModel<Transformer> network(options);
  ExampleTraining with = pair_training(network.model, training, {});
  with.where = [&](std::span<const int64_t> numbers) {
    return dataset->where(std::vector(numbers.begin(), numbers.end()));
  };
  const ExampleWork work(std::make_shared<const ExampleTraining>(with), {pairs, {0, 1, 2, 3}});
  CHECK(work.where() == dataset->where(std::vector<int64_t>{0, 1, 2, 3}));
  const Works halves = work.split(2);
  REQUIRE(halves.size() == 2);
  CHECK(halves[0]->where() == dataset->where(std::vector<int64_t>{0, 1}));
  CHECK(halves[1]->where() == dataset->where(std::vector<int64_t>{2, 3}));
}

TEST_CASE("the chunks of a batch of windows have all of its windows in order") {
  const Tokenizer tokenizer = train_tokenizer({}, {.kind = TokenizerKind::bytes}, {});
  const Dataset documents = load_documents(
      {{documents_in_memory("ten", std::vector<std::string>(10, "four"))}}, tokenizer, {});
  const auto training = std::make_shared<const ExampleTraining>(ExampleTraining{
      .set = TextWindows(documents, {.context = 5, .cross_documents = false}).examples(),
      .forward = {}});
  const auto work_on = [&](const std::vector<uint32_t>& windows) {
    return ExampleWork(training, read_batch(training->set, windows));
  };
  const ExampleWork work = work_on({0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  CHECK(work.where() ==
        "ten, document 1; ten, document 2; ten, document 3; ten, document 4; ten, document 5; "
        "ten, document 6; ten, document 7; ten, document 8 and 2 more");
  CHECK(work_on({3, 2, 3}).where() == "ten, document 4; ten, document 3");
  const Works parts = work.split(4);
  REQUIRE(parts.size() == 4);
  CHECK(parts[0]->where() == "ten, document 1; ten, document 2; ten, document 3");
  CHECK(parts[3]->where() == "ten, document 10");
  int64_t examples = 0, tokens = 0;
  for (const auto& part : parts) {
    examples += part->size().examples;
    tokens += part->size().tokens;
  }
  CHECK(examples == 10);
  CHECK(tokens == 50);
  CHECK(work.split(99).size() == 10);
}

TEST_CASE("a batch of few tokens is one slice") {
  const Small small{TrainingConfig()};
  CHECK(slices_for(*small.works[0], small.network.parameters) == 1);
}
