// Training speed of a Transformer on this machine: forward, backward and Adam on packed batches
// with the sentence lengths of Multi30k, in slices as in training. Each step is followed by the
// same step with a profile, in which ops run one after another, and by its GEMM floor, the step's
// own matrix products called through cblas (raw_product_process.h). bench/compare runs this beside
// PyTorch, bench/growth for many sizes and threads.
//
//   build/release/bench/train_step tiny|small|base [--steps 20] [--precision bfloat16] [--no-floor]
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>

#include "batches/lengths.h"
#include "core/flat_sum.h"
#include "core/memory/pool.h"
#include "core/products/blas.h"
#include "core/profile.h"
#include "core/threads/parallel.h"
#include "optim/schedule.h"
#include "preset_model.h"
#include "products/raw_product_process.h"
#include "timing.h"
#include "train/settings.h"
#include "train/step/learner.h"
#include "train/step/slices.h"
#include "train/tasks/translation/training.h"

using namespace calque;

namespace {

struct Options {
  std::string preset, precision = "float32";
  int64_t steps = 20, warmup = 4, tokens = 4096, vocabulary = 8000;
  int threads = 0;
  int64_t slices = 0;  // of each batch; 0: as in training
  int64_t length = 0;  // of every sentence, with </s>; 0: as in Multi30k
  bool json = false, no_floor = false;
};

struct Result {
  std::vector<double> seconds, floors, times_floor, tokens_per_s, flops, flops_per_s;
  std::vector<double> cpu, serial, sliced, busy;  // the times of a step, in seconds
  std::vector<int64_t> slice_tokens;              // of the largest batch
  int64_t parameters = 0;
  double slice_alone = 0;
  double best_rate = 0, loss = 0;
  int64_t slices = 0;
  std::string floor_kernels;
  Profile profile;
};

PairLengths lengths_of(const Options& options) {
  if (options.length == 0) return multi30k_lengths();
  const auto words = static_cast<int32_t>(options.length - 1);
  const int64_t sentences = std::max<int64_t>(1, options.tokens / options.length);
  return PairLengths(static_cast<size_t>(sentences), {words, words});
}

const Works& largest(const std::vector<Works>& works) {
  return *std::ranges::max_element(works, {}, [](const Works& w) { return w[0]->size().tokens; });
}

// The peak memory of the process in bytes; that of tensors alone where there is no /proc.
double peak_memory() {
  std::ifstream status("/proc/self/status");
  for (std::string field; status >> field;) {
    double kib = 0;
    if (field == "VmHWM:" && status >> kib) return kib * 1024;
  }
  return static_cast<double>(memory_statistics().peak);
}

// The share of a slice that a second thread does not take over. Slices run one after another on two
// threads, as on a group of threads; the CPU time that the first has more than the other is spent
// alone. Requires that threads do not wait in a busy loop, as with GOMP_SPINCOUNT=1000.
double share_alone(const Works& slices) {
  const int before = threads();
  set_threads(2);
  double first = 0, both = 0;
  for (int round = 0; round < 3; ++round) {
    for (const auto& slice : slices) {
      const CpuStopwatch own;
      const ProcessStopwatch all;
      const Tape tape({1, 0, 0});
      backward(slice->forward().loss);
      if (round == 0) continue;
      first += own.seconds();
      both += all.seconds();
    }
  }
  set_threads(before);
  return std::clamp((2 * first - both) / both, 0.0, 1.0);
}

// The CPU time in which one thread adds two gradients.
double seconds_of_sum(int64_t size) {
  const int before = threads();
  set_threads(1);
  const Tensor to = Tensor::full({size}, 1), from = Tensor::full({size}, 1);
  std::vector<double> seconds;
  for (int round = 0; round < 7; ++round) {
    const CpuStopwatch watch;
    add_flat(to.span(), from.span(), Precision::full);
    seconds.push_back(watch.seconds());
  }
  set_threads(before);
  return median(seconds);
}

Result run(const Options& options, const Config& config) {
  BenchModel model(config.model, options.vocabulary);
  Learner learner(config.training, model.parameters);
  learner.initialise();
  const auto training = std::make_shared<const ExampleTraining>(
      pair_training(model.transformer, config.training, {}));
  std::vector<Works> works;
  for (ExampleBatch& batch : make_batches(lengths_of(options), options.tokens,
                                          static_cast<int32_t>(options.vocabulary))) {
    works.emplace_back().push_back(std::make_unique<ExampleWork>(training, std::move(batch)));
  }
  RawProducts raw(CALQUE_RAW_PRODUCTS, threads());
  Result result;
  result.slices =
      options.slices > 0 ? options.slices : slices_for(*largest(works)[0], model.parameters);
  learner.divide({.slices = result.slices, .chunks = 1});
  result.parameters = model.parameters.flat_size();
  const Works slices = largest(works)[0]->split(result.slices);
  for (const auto& slice : slices) result.slice_tokens.push_back(slice->size().tokens);
  result.slice_alone = share_alone(slices);
  result.floor_kernels = raw.kernels();
  for (int64_t step = 0; step < options.warmup + options.steps; ++step) {
    const Works& batch = works[static_cast<size_t>(step) % works.size()];
    const double rate =
        learning_rate(Noam{.d_model = model.transformer.options.layer.d_model}, step + 1);
    StepOutcome outcome;
    const CpuStopwatch cpu;
    const double taken = seconds_of([&] { outcome = learner.step(batch, step, rate); });
    const double cpu_taken = cpu.seconds();
    if (step < options.warmup) continue;
    std::vector<GemmCall> products;
    {
      const Profiling profiling(result.profile);
      const GemmRecorder recorder(products);
      learner.step(batch, step, rate);
    }
    if (options.no_floor) products.clear();
    const RawProducts::Answer floor = raw.run(products);
    const auto tokens = static_cast<double>(batch[0]->size().tokens);
    result.seconds.push_back(taken);
    result.cpu.push_back(cpu_taken);
    result.serial.push_back(taken - outcome.times.slices - outcome.times.update);
    result.sliced.push_back(outcome.times.slices);
    result.busy.push_back(outcome.times.busy);
    result.floors.push_back(floor.seconds);
    result.times_floor.push_back(taken / floor.seconds);
    result.tokens_per_s.push_back(tokens / taken);
    result.flops.push_back(outcome.flops);
    result.flops_per_s.push_back(result.flops.back() / taken);
    result.best_rate = std::max(result.best_rate, floor.rate);
    result.loss = outcome.sums.loss / static_cast<double>(outcome.sums.terms);
  }
  return result;
}

// Useful FLOPs per second of the ops, forward and backward together.
double rate_of(const Profile& profile, std::initializer_list<const char*> ops) {
  double flops = 0, seconds = 0;
  for (const Profile::Sum& sum : profile.sums()) {
    if (std::ranges::find(ops, sum.name) == ops.end()) continue;
    flops += sum.work.flops;
    seconds += sum.seconds;
  }
  return seconds > 0 ? flops / seconds : 0;
}

// How threads share a step, for bench/threads_model.py. Waiting includes that for other processes.
void add_times(nlohmann::ordered_json& json, const Result& result) {
  const auto steps = static_cast<double>(result.profile.sum_of("step", Profile::Kind::phase).calls);
  const double bytes = result.profile.sum_of("update", Profile::Kind::phase).work.bytes / steps;
  const double sliced = median(result.sliced), busy = median(result.busy);
  const auto runners = static_cast<double>(std::min<int64_t>(threads(), result.slices));
  json["cpu_ms"] = 1e3 * median(result.cpu);
  json["serial_ms"] = 1e3 * median(result.serial);
  json["slices_ms"] = 1e3 * sliced;
  json["busy_ms"] = 1e3 * busy;
  json["wait_ms"] = 1e3 * (runners * sliced - busy);
  json["update_mb"] = bytes / 1e6;
  json["gradient_mb"] = static_cast<double>(result.parameters) * sizeof(real) / 1e6;
  json["slice_alone"] = result.slice_alone;
  json["add_ms"] = 1e3 * seconds_of_sum(result.parameters);
  json["slice_tokens"] = result.slice_tokens;
}

nlohmann::ordered_json json_of(const Options& options, const Config& config, const Result& result) {
  nlohmann::ordered_json json = {
      {"preset", options.preset},
      {"threads", threads()},
      {"slices", result.slices},
      {"tokens", options.tokens},
      {"vocabulary", options.vocabulary},
      {"precision", options.precision},
      {"tokens_per_s", median(result.tokens_per_s)},
      {"step_ms", 1e3 * median(result.seconds)},
      {"step_gflop", median(result.flops) / 1e9},
      {"sgemm_share", median(result.flops_per_s) / result.best_rate},
      {"sgemm_gflops", result.best_rate / 1e9},
      {"attention_gflops", rate_of(result.profile, {"self_attention", "cross_attention"}) / 1e9},
      {"projection_gflops", rate_of(result.profile, {"projected_cross_entropy"}) / 1e9},
      {"peak_memory_mb", peak_memory() / 1e6},
      {"tensor_memory_mb", static_cast<double>(memory_statistics().peak) / 1e6},
      {"products", blas_description(product_precision(config.training))},
      {"floor_products", "OpenBLAS " + result.floor_kernels},
      {"loss", result.loss}};
  add_times(json, result);
  if (options.length > 0) json["length"] = options.length;
  if (!options.no_floor) {
    json["gemm_floor_ms"] = 1e3 * median(result.floors);
    json["times_floor"] = median(result.times_floor);
  }
  return json;
}

}  // namespace

int main(int count, char** arguments) {
  Options options;
  CLI::App app("Training speed");
  app.add_option("preset", options.preset)
      ->required()
      ->check(CLI::IsMember({"tiny", "small", "base"}));
  app.add_option("--steps", options.steps);
  app.add_option("--warmup", options.warmup);
  app.add_option("--tokens", options.tokens);
  app.add_option("--vocabulary", options.vocabulary);
  app.add_option("--length", options.length)->check(CLI::Range(2, 1 << 20));
  app.add_option("--threads", options.threads);
  app.add_option("--slices", options.slices, "of each batch, a power of two");
  app.add_option("--precision", options.precision)->check(CLI::IsMember({"float32", "bfloat16"}));
  app.add_flag("--json", options.json);
  app.add_flag("--no-floor", options.no_floor);
  CLI11_PARSE(app, count, arguments);
  if (options.threads > 0) set_threads(options.threads);
  const Config config = preset_config(options.preset, options.precision);
  const nlohmann::ordered_json json = json_of(options, config, run(options, config));
  if (options.json) {
    fmt::print("{}\n", json.dump());
  } else {
    for (const auto& [name, value] : json.items()) fmt::print("{:16} {}\n", name, value.dump());
  }
}
