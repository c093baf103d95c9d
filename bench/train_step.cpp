// Tokens a second of training a Transformer on this machine: forward, backward and Adam on packed
// batches with the lengths of real sentences. Each step is followed by its GEMM floor: the step's
// own matrix products, called raw through cblas, and nothing else (step_products.h).
// bench/compare runs it beside PyTorch.
//
//   build/release/bench/train_step tiny|small|base [--steps 20] [--threads N] [--json]
//                                  [--lengths TABLE | --source FILE --target FILE]
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "core/blas.h"
#include "core/parallel.h"
#include "lengths.h"
#include "nn/transformer.h"
#include "optim/optimizer.h"
#include "optim/schedule.h"
#include "step_products.h"

using namespace calque;

namespace {

using Clock = std::chrono::steady_clock;

struct Options {
  std::string preset, lengths = CALQUE_SOURCE_DIR "/bench/multi30k_lengths.txt", source, target;
  int64_t steps = 20, warmup = 4, tokens = 4096, vocabulary = 8000, seed = 1;
  int threads = 0;
  bool json = false;
};

TransformerOptions model_of(const Options& options) {
  TransformerOptions model;
  model.source_vocabulary = model.target_vocabulary = options.vocabulary;
  const auto shape = [&](int64_t layers, int64_t d_model, int64_t d_ff, int64_t heads,
                         real dropout) {
    model.encoder_layers = model.decoder_layers = layers;
    model.d_model = d_model, model.d_ff = d_ff, model.heads = heads, model.dropout = dropout;
  };
  if (options.preset == "tiny") shape(4, 128, 256, 4, real(0.3));
  if (options.preset == "small") shape(3, 256, 1024, 4, real(0.3));
  if (options.preset == "base") shape(6, 512, 2048, 8, real(0.1));
  return model;
}

double seconds_of(const std::function<void()>& work) {
  const auto start = Clock::now();
  work();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// FLOPs a second of a few large products, the best of them.
double product_rate() {
  double best = 0;
  for (const auto& [m, n, k] :
       {std::array<int64_t, 3>{1024, 1024, 1024}, {2048, 2048, 2048}, {4096, 512, 2048}}) {
    const Tensor a = Tensor::full({m, k}, 1), b = Tensor::full({k, n}, 1), c({m, n});
    const double taken = seconds_of([&] { gemm({a.data(), m, k}, {b.data(), k, n}, c.data()); });
    best = std::max(best, 2.0 * double(m) * double(n) * double(k) / taken);
  }
  return best;
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

struct Result {
  std::vector<double> seconds, floors, times_floor, rates;
  double tokens = 0, flops = 0, loss = 0;
  std::string floor_kernels;
};

Result run(const Options& options) {
  const TransformerOptions shape = model_of(options);
  Parameters parameters;
  const Transformer model(Path(parameters), shape);
  parameters.allocate();
  parameters.initialise(static_cast<uint64_t>(options.seed));
  Optimizer optimizer(parameters, AdamSettings{});
  const PairLengths lengths = options.source.empty()
                                  ? lengths_of_table(options.lengths)
                                  : lengths_of_corpus(options.source, options.target);
  const std::vector<Batch> batches =
      make_batches(lengths, options.tokens, static_cast<int32_t>(options.vocabulary),
                   static_cast<uint64_t>(options.seed));
  RawProducts raw(CALQUE_RAW_PRODUCTS, threads());
  Result result;
  result.floor_kernels = raw.kernels();
  for (int64_t step = 0; step < options.warmup + options.steps; ++step) {
    const Batch& b = batches[static_cast<size_t>(step) % batches.size()];
    const double rate = product_rate();
    TokenLoss loss;
    const double taken = seconds_of([&] {
      const Tape tape({.seed = 1, .step = static_cast<uint32_t>(step)});
      parameters.clear_gradients();
      loss = model.loss(b.source, b.source_segments, b.decoder_input, b.expected, b.target_segments,
                        real(0.1), Mode::train);
      backward(loss.loss);
      optimizer.update(parameters, learning_rate(Noam{.d_model = shape.d_model}, step + 1),
                       1 / static_cast<double>(loss.tokens));
    });
    const RawProducts::Answer floor =
        raw.run(step_products(shape, b.source_segments.tokens(), b.target_segments.tokens()));
    if (step < options.warmup) continue;
    result.seconds.push_back(taken);
    result.floors.push_back(floor.seconds);
    result.times_floor.push_back(taken / floor.seconds);
    result.rates.push_back(std::max(rate, floor.rate));
    result.tokens += static_cast<double>(b.source.size() + b.expected.size());
    result.flops +=
        3 * forward_flops(shape, AttentionWork::of(b.source_segments, b.target_segments));
    result.loss = double(loss.loss.item()) / static_cast<double>(loss.tokens);
  }
  return result;
}

void print(const Options& options, const Result& result) {
  double total = 0;
  for (const double s : result.seconds) total += s;
  const double best = *std::ranges::max_element(result.rates);
  const nlohmann::ordered_json json = {
      {"preset", options.preset},
      {"threads", threads()},
      {"tokens_per_s", result.tokens / total},
      {"step_ms", 1e3 * median(result.seconds)},
      {"gemm_floor_ms", 1e3 * median(result.floors)},
      {"times_floor", median(result.times_floor)},
      {"sgemm_share", result.flops / total / best},
      {"sgemm_gflops", best / 1e9},
      {"products", blas_description()},
      {"floor_products", "OpenBLAS " + result.floor_kernels},
      {"peak_memory_mb", static_cast<double>(memory_statistics().peak) / 1e6},
      {"loss", result.loss}};
  if (options.json) {
    fmt::print("{}\n", json.dump());
    return;
  }
  for (const auto& [name, value] : json.items()) fmt::print("{:16} {}\n", name, value.dump());
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
  app.add_option("--seed", options.seed);
  app.add_option("--threads", options.threads);
  app.add_flag("--json", options.json);
  CLI11_PARSE(app, count, arguments);
  if (options.threads > 0) set_threads(options.threads);
  print(options, run(options));
}
