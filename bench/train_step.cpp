// Tokens a second of training a Transformer on this machine: forward, backward and Adam on packed
// batches with the lengths of real sentences. Each step is followed by its GEMM floor: the step's
// own matrix products, called raw through cblas, and nothing else (raw_product_process.h).
// bench/compare runs it beside PyTorch.
//
//   build/release/bench/train_step tiny|small|base [--steps 20] [--threads N] [--json] [--no-floor]
//                     [--lengths TABLE | --source FILE --target FILE | --length TOKENS]
//                     [--chunks N: each batch in so many, as training.memory_limit has it]
//                     [--precision bfloat16: products of rounded operands]
//                     [--profile: where the time goes, op by op]
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/blas.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "core/profile.h"
#include "lengths.h"
#include "optim/schedule.h"
#include "raw_product_process.h"
#include "timing.h"
#include "train/learner.h"
#include "train/profile_report.h"
#include "train/tasks/task_model.h"
#include "train/tasks/translation/translation_work.h"
#include "train/training_settings.h"

using namespace calque;

namespace {

struct Options {
  std::string preset, lengths = CALQUE_SOURCE_DIR "/bench/multi30k_lengths.txt", source, target;
  int64_t steps = 20, warmup = 4, tokens = 4096, vocabulary = 8000, chunks = 1;
  int threads = 0;
  int64_t length = 0;  // of every sentence, with </s>; 0: as in the table or the files
  TrainingConfig training;
  bool json = false, no_floor = false, profile = false;
};

TransformerOptions model_of(const Options& options) {
  TransformerOptions model;
  model.source_vocabulary = model.target_vocabulary = options.vocabulary;
  const auto shape = [&](int64_t layers, int64_t d_model, int64_t d_ff, int64_t heads,
                         real dropout) {
    model.encoder_layers = model.decoder_layers = layers;
    model.layer.d_model = d_model, model.layer.d_ff = d_ff, model.layer.heads = heads,
    model.layer.dropout = dropout;
  };
  if (options.preset == "tiny") shape(4, 128, 256, 4, real(0.3));
  if (options.preset == "small") shape(3, 256, 1024, 4, real(0.3));
  if (options.preset == "base") shape(6, 512, 2048, 8, real(0.1));
  return model;
}

struct Result {
  std::vector<double> seconds, floors, times_floor, tokens_per_s, flops, flops_per_s;
  double best_rate = 0, loss = 0;
  std::string floor_kernels;
  Profile profile;
};

PairLengths lengths_of(const Options& options) {
  if (options.length > 0) {
    const auto words = static_cast<int32_t>(options.length - 1);
    const int64_t sentences = std::max<int64_t>(1, options.tokens / options.length);
    return PairLengths(static_cast<size_t>(sentences), {words, words});
  }
  if (options.source.empty()) return lengths_of_table(options.lengths);
  return lengths_of_corpus(options.source, options.target);
}

// The most memory that the process has had, in bytes; of tensors alone where the system does not
// tell.
double peak_memory() {
  std::ifstream status("/proc/self/status");
  for (std::string field; status >> field;) {
    double kib = 0;
    if (field == "VmHWM:" && status >> kib) return kib * 1024;
  }
  return static_cast<double>(memory_statistics().peak);
}

Result run(const Options& options) {
  const TransformerOptions shape = model_of(options);
  TaskModel<Transformer> network(shape);
  Learner learner(options.training, network.parameters);
  learner.initialise();
  learner.set_chunks(options.chunks);
  std::vector<PairBatch> batches =
      make_batches(lengths_of(options), options.tokens, static_cast<int32_t>(options.vocabulary),
                   static_cast<uint64_t>(options.training.seed));
  std::vector<Works> works(batches.size());
  for (size_t i = 0; i < batches.size(); ++i) {
    works[i].push_back(std::make_unique<TranslationWork>(
        network.model, options.training, std::move(batches[i]), std::vector<int64_t>(), nullptr));
  }
  RawProducts raw(CALQUE_RAW_PRODUCTS, threads());
  Result result;
  result.floor_kernels = raw.kernels();
  for (int64_t step = 0; step < options.warmup + options.steps; ++step) {
    const Works& batch = works[static_cast<size_t>(step) % works.size()];
    const double rate = learning_rate(Noam{.d_model = shape.layer.d_model}, step + 1);
    StepOutcome outcome;
    std::optional<Profiling> profiling;
    if (step >= options.warmup) profiling.emplace(result.profile);
    std::vector<GemmCall> products;
    std::optional<GemmRecorder> recorder;
    if (!options.no_floor) recorder.emplace(products);
    const double taken = seconds_of([&] { outcome = learner.step(batch, step, rate); });
    recorder.reset();
    profiling.reset();
    const RawProducts::Answer floor = raw.run(products);
    if (step < options.warmup) continue;
    const auto tokens = static_cast<double>(batch[0]->size().tokens);
    result.seconds.push_back(taken);
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

// Useful FLOPs a second of the op, forward and backward together.
double rate_of(const Profile& profile, std::initializer_list<const char*> ops) {
  double flops = 0, seconds = 0;
  for (const Profile::Sum& sum : profile.sums()) {
    if (std::ranges::find(ops, sum.name) == ops.end()) continue;
    flops += sum.work.flops;
    seconds += sum.seconds;
  }
  return seconds > 0 ? flops / seconds : 0;
}

nlohmann::ordered_json json_of(const Options& options, const Result& result) {
  const Precision precision = product_precision(options.training);
  nlohmann::ordered_json json = {
      {"preset", options.preset},
      {"threads", threads()},
      {"tokens", options.tokens},
      {"vocabulary", options.vocabulary},
      {"chunks", options.chunks},
      {"precision", precision == Precision::full ? "float32" : "bfloat16"},
      {"tokens_per_s", median(result.tokens_per_s)},
      {"step_ms", 1e3 * median(result.seconds)},
      {"step_gflop", median(result.flops) / 1e9},
      {"sgemm_share", median(result.flops_per_s) / result.best_rate},
      {"sgemm_gflops", result.best_rate / 1e9},
      {"attention_gflops", rate_of(result.profile, {"self_attention", "cross_attention"}) / 1e9},
      {"projection_gflops", rate_of(result.profile, {"projected_cross_entropy"}) / 1e9},
      {"peak_memory_mb", peak_memory() / 1e6},
      {"tensor_memory_mb", static_cast<double>(memory_statistics().peak) / 1e6},
      {"products", blas_description(precision)},
      {"floor_products", "OpenBLAS " + result.floor_kernels},
      {"loss", result.loss}};
  if (options.length > 0) json["length"] = options.length;
  if (!options.no_floor) {
    json["gemm_floor_ms"] = 1e3 * median(result.floors);
    json["times_floor"] = median(result.times_floor);
  }
  return json;
}

void print(const Options& options, const Result& result) {
  const nlohmann::ordered_json json = json_of(options, result);
  if (options.json) {
    fmt::print("{}\n", json.dump());
    return;
  }
  for (const auto& [name, value] : json.items()) fmt::print("{:16} {}\n", name, value.dump());
  if (options.profile)
    fmt::print("\n{}",
               profile_table(result.profile, machine_limits(product_precision(options.training))));
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
  app.add_option("--lengths", options.lengths);
  app.add_option("--source", options.source);
  app.add_option("--target", options.target);
  app.add_option("--length", options.length)->check(CLI::Range(2, 1 << 20));
  app.add_option("--seed", options.training.seed);
  app.add_option("--threads", options.threads);
  app.add_option("--chunks", options.chunks)->check(CLI::Range(1, 1 << 20));
  using Choice = TrainingConfig::Precision;
  app.add_option("--precision", options.training.precision)
      ->transform(CLI::CheckedTransformer(std::map<std::string, Choice>{
          {"float32", Choice::float32}, {"bfloat16", Choice::bfloat16}}));
  CLI::Option* json = app.add_flag("--json", options.json);
  app.add_flag("--profile", options.profile)->excludes(json);
  app.add_flag("--no-floor", options.no_floor);
  CLI11_PARSE(app, count, arguments);
  if (options.threads > 0) set_threads(options.threads);
  print(options, run(options));
}
