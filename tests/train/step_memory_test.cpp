// The memory of a step of training, its slices and its times.
#include <doctest/doctest.h>

#include <algorithm>
#include <bit>

#include "core/memory/pool.h"
#include "core/stopwatch.h"
#include "support/message_of.h"
#include "support/threads.h"
#include "train/pair_work.h"
#include "train/step/chunks.h"
#include "train/step/learner.h"
#include "train/step/slices.h"
#include "train/tasks/language_model/evaluation.h"
#include "train/tasks/task_model.h"

using namespace calque;

namespace {

constexpr int64_t texts_of_a_batch = 64;

// Texts long enough that activations outweigh the parameters.
std::vector<int32_t> long_text(int64_t number) {
  std::vector<int32_t> ids(static_cast<size_t>(20 + number % 9));
  for (size_t i = 0; i < ids.size(); ++i)
    ids[i] = static_cast<int32_t>(3 + (i + size_t(number)) % 90);
  return ids;
}

LayerOptions wide_layer() { return {.d_model = 32, .d_ff = 64, .heads = 2, .dropout = real(0.1)}; }

struct WideTranslation {
  TaskModel<Transformer> network{{.layer = wide_layer(),
                                  .source_vocabulary = 100,
                                  .target_vocabulary = 100,
                                  .encoder_layers = 2,
                                  .decoder_layers = 2}};
  std::unique_ptr<Work> work(const TrainingConfig& training) const {
    std::vector<Example> pairs;
    for (int64_t i = 0; i < texts_of_a_batch; ++i) {
      pairs.push_back({long_text(i), long_text(i + 3)});
    }
    return tests::pair_work(network.model, training, std::move(pairs));
  }
};

struct WideLanguageModel {
  TaskModel<LanguageModel> network{{.layer = wide_layer(), .vocabulary = 100, .layers = 4}};
  std::unique_ptr<Work> work(const TrainingConfig& training) const {
    ExampleTraining with{.set = {}, .forward = [&](std::span<const Example> windows) {
                           return window_loss(network.model, windows, training.label_smoothing,
                                              Mode::train, training.r_drop);
                         }};
    ExampleBatch batch;
    for (int64_t i = 0; i < texts_of_a_batch; ++i) {
      batch.examples.push_back({long_text(i), long_text(i)});
      batch.numbers.push_back(i);
      with.set.costs.push_back(static_cast<int32_t>(long_text(i).size()));
    }
    return std::make_unique<ExampleWork>(std::make_shared<const ExampleTraining>(with),
                                         std::move(batch));
  }
};

template <class Network>
struct Wide {
  TrainingConfig training;
  Network network{};
  Learner learner;
  std::unique_ptr<Work> work;

  explicit Wide(const TrainingConfig& settings)
      : training(settings),
        learner(training, network.network.parameters),
        work(network.work(training)) {
    learner.initialise();
    learner.start_averaging();
  }

  // The measured peak memory of tensors in the second and third step.
  int64_t measured_peak(const Learner::Division& division) {
    learner.divide(division);
    Works works;
    for (int64_t i = 0; i < training.accumulation; ++i) {
      works.push_back(std::move(work->split(1).front()));
    }
    learner.step(works, 0, 1e-4);
    reset_peak_memory();
    learner.step(works, 1, 1e-4);
    learner.step(works, 2, 1e-4);
    return memory_statistics().peak;
  }
};

std::vector<std::pair<std::string, TrainingConfig>> ways_of_training() {
  std::vector<std::pair<std::string, TrainingConfig>> ways(6);
  for (auto& [name, training] : ways) training.batch_tokens = 0;
  ways[0].first = "adam";
  ways[1].first = "accumulation", ways[1].second.accumulation = 2;
  ways[2].first = "ema", ways[2].second.ema = 0.9;
  ways[3].first = "sgd", ways[3].second.optimizer = TrainingConfig::Optimizer::sgd;
  ways[4].first = "adafactor", ways[4].second.optimizer = TrainingConfig::Optimizer::adafactor;
  ways[5].first = "r_drop", ways[5].second.r_drop = 3;
  return ways;
}

struct Memory {
  double predicted, measured;
};

template <class Network>
Memory memory_of(const TrainingConfig& training, const Learner::Division& division) {
  Wide<Network> wide(training);
  const auto predicted = static_cast<double>(wide.learner.memory_of_step(*wide.work, division));
  return {predicted, static_cast<double>(wide.measured_peak(division))};
}

// With one slice at a time; the peaks of slices on several threads need not coincide.
template <class Network>
void check_prediction() {
  const Threads as_before;
  for (const auto& [name, training] : ways_of_training()) {
    for (const Learner::Division division :
         std::vector<Learner::Division>{{1, 1}, {1, 2}, {1, 8}, {4, 1}, {4, 2}}) {
      CAPTURE(name);
      CAPTURE(division.slices);
      CAPTURE(division.chunks);
      set_threads(division.slices > 1 ? 1 : 2);
      const Memory alone = memory_of<Network>(training, division);
      CHECK(alone.predicted == doctest::Approx(alone.measured).epsilon(0.1));
      set_threads(2);
      const Memory together = memory_of<Network>(training, division);
      CHECK(together.measured < 1.1 * together.predicted);
    }
  }
}

template <class Network>
void check_limits() {
  Wide<Network> wide{TrainingConfig()};
  const auto memory = [&](int64_t chunks) {
    return wide.learner.memory_of_step(*wide.work, {1, chunks});
  };
  const auto chunks = [&](int64_t limit) {
    return chunks_for_memory(wide.learner, *wide.work, 1, {limit});
  };
  const std::span<const real> values = wide.network.network.parameters.values();
  const std::vector<real> before(values.begin(), values.end());
  REQUIRE(memory(1) > 1.5 * double(memory(4)));
  CHECK(chunks(0) == 1);
  CHECK(chunks(2 * memory(1)) == 1);
  CHECK(chunks(memory(1)) == 1);
  CHECK(chunks(memory(1) - 1) == 2);
  CHECK(chunks(memory(2) - 1) == 4);
  CHECK(chunks(memory(4)) == 4);
  const std::string message = message_of<Error>([&] { chunks(10'000); });
  CHECK_MESSAGE(message.starts_with("training.memory_limit of 10kB is too small: with 64 chunks a "
                                    "step takes "),
                message);
  CHECK(message.ends_with("raise it or choose a smaller model"));
  CHECK(std::ranges::equal(values, before));
}

}  // namespace

TEST_CASE("the memory predicted for a step is within 10% of the peak, for translation") {
  check_prediction<WideTranslation>();
}

TEST_CASE("the memory predicted for a step is within 10% of the peak, for a language model") {
  check_prediction<WideLanguageModel>();
}

TEST_CASE("a memory limit splits the batch into as few chunks as fit, or is refused") {
  check_limits<WideTranslation>();
  check_limits<WideLanguageModel>();
}

TEST_CASE("a step in slices is nearly the step over the whole batch") {
  TrainingConfig training;
  training.clip_norm = 0;
  const auto step = [&](int64_t slices) {
    Wide<WideTranslation> wide(training);
    wide.network.network.model.options.layer.dropout = 0;
    wide.learner.divide({.slices = slices, .chunks = 1});
    Works works;
    works.push_back(std::move(wide.work));
    return wide.learner.step(works, 0, 1e-3);
  };
  const StepOutcome whole = step(1), slices = step(8);
  CHECK(whole.sums.terms == slices.sums.terms);
  CHECK(whole.flops == slices.flops);
  CHECK(slices.sums.loss == doctest::Approx(whole.sums.loss).epsilon(0.02));
  CHECK(slices.update.gradient_norm == doctest::Approx(whole.update.gradient_norm).epsilon(0.1));
}

TEST_CASE("the times of a step: slices side by side, and the update") {
  for (const int64_t slices : {1, 4}) {
    CAPTURE(slices);
    Wide<WideTranslation> wide({});
    wide.learner.divide({.slices = slices, .chunks = 1});
    Works works;
    works.push_back(std::move(wide.work));
    const Threads scope(1);
    const Stopwatch watch;
    const StepTimes times = wide.learner.step(works, 0, 0.1).times;
    CHECK(times.slices + times.update < watch.seconds());
    CHECK(times.busy > 0.0);
    CHECK(times.busy < times.slices + 0.001);  // one thread is never busier than the clock
    CHECK(times.update > 0.0);
  }
}

TEST_CASE("a batch has slices of some hundreds of tokens, on any number of threads") {
  const Threads as_before;
  const Wide<WideTranslation> wide{TrainingConfig()};
  const Parameters& parameters = wide.network.network.parameters;
  REQUIRE(wide.work->size().tokens > 3000);
  for (const int count : {1, 2, 7}) {
    set_threads(count);
    CHECK(slices_for(*wide.work, parameters) == 2);
    CHECK(slices_for(*wide.work->split(4).front(), parameters) == 1);
  }
}

TEST_CASE("slices for frozen weights have 128 tokens, whatever their form") {
  const Wide<WideTranslation> wide{TrainingConfig()};
  const auto slices = [&](Precision form, bool frozen) {
    Parameters parameters;
    parameters.add("weight", {480, 480}, Role::weight, constant(0));
    parameters.allocate(form);
    if (frozen) parameters.freeze_all();
    return slices_for(*wide.work, parameters);
  };
  const uint64_t frozen = std::bit_floor(uint64_t(wide.work->size().tokens / 128));
  CHECK(slices(Precision::full, false) < int64_t(frozen));
  CHECK(slices(Precision::full, true) == int64_t(frozen));
  CHECK(slices(Precision::q8_0, true) == int64_t(frozen));
}

TEST_CASE("the memory of each parameter depends on the optimizer and on averaging") {
  const auto memory = [](TrainingConfig::Optimizer kind, double momentum, double ema) {
    TrainingConfig training;
    training.optimizer = kind;
    training.momentum = momentum;
    training.ema = ema;
    Wide<WideTranslation> wide(training);
    return static_cast<double>(wide.learner.memory_of_step(*wide.work, {}));
  };
  using Kind = TrainingConfig::Optimizer;
  const double bytes = [] {
    const WideTranslation wide;
    return static_cast<double>(wide.network.parameters.flat_size()) * sizeof(real);
  }();
  const double least = memory(Kind::sgd, 0, 0);
  const auto kept = [&](double whole) { return (whole - least) / bytes; };
  CHECK(kept(memory(Kind::adam, 0, 0)) == doctest::Approx(2).epsilon(0.02));
  CHECK(kept(memory(Kind::adamw, 0, 0.999)) == doctest::Approx(3).epsilon(0.02));
  CHECK(kept(memory(Kind::sgd, 0.9, 0)) == doctest::Approx(1).epsilon(0.02));
  CHECK(kept(memory(Kind::adafactor, 0, 0)) < 0.2);
}
