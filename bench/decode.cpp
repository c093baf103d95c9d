// Translation speed of a Transformer of the preset small with random weights, on sources as long as
// Multi30k's, with a fixed number of tokens per translation. Each time is compared with a lower
// bound, the floor:
//
//   greedy, beam   the time of the encoder's and decoder's products with weights alone, called
//                  through cblas in the faster of two ways: one batch per thread, or all threads
//                  for each product
//   single         one sentence at a time; the time to read the decoder's weights once per token,
//                  from memory and from an array of their size, which caches may hold
//
// bench/peers/pytorch_decode.py does the same work in PyTorch.
//
//   build/release/bench/decode [greedy] [beam] [single] [--sentences 1000] [--rounds 3]
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <limits>

#include "batches/lengths.h"
#include "core/int8_weights.h"
#include "core/memory/pool.h"
#include "core/ops.h"
#include "core/products/blas.h"
#include "core/threads/parallel.h"
#include "decode/search/batches.h"
#include "decode/translation.h"
#include "preset_model.h"
#include "products/raw_sgemm.h"
#include "timing.h"

using namespace calque;

namespace {

struct Options {
  std::vector<std::string> cases;
  int64_t sentences = 1000, written = 30, beam = 5, vocabulary = 8000, rounds = 3;
  bool int8 = false;
};

using Sources = std::vector<std::vector<int32_t>>;

Sources make_sources(const Options& options) {
  PairLengths lengths = multi30k_lengths();
  Random random({.seed = 1});
  random.shuffle(lengths);
  Sources sources;
  for (int64_t i = 0; i < options.sentences; ++i) {
    const int32_t length = lengths[static_cast<size_t>(i) % lengths.size()].first;
    sources.push_back(random_ids(random, length, static_cast<int32_t>(options.vocabulary)));
  }
  return sources;
}

TranslationOptions search_options(const Options& options, int64_t beam) {
  TranslationOptions search;
  search.beam = beam;
  search.min_length = search.max_length = options.written - 1;  // without </s>
  search.max_length_extra = options.written;
  return search;
}

// Translates the sources in one batch. Returns its products with weights, the encoder's included.
std::vector<GemmCall> products_of(const Transformer& model, const Sources& sources,
                                  TranslationOptions search) {
  search.batch_tokens = int64_t{1} << 40;  // a single batch, decoded on the recorder's thread
  const Translator models[] = {model};
  std::vector<GemmCall> products;
  const GemmRecorder recorder(products);
  translate(models, sources, search);
  return products;
}

// Returns the number of weights that the decoder reads for one token: the difference between those
// of translations of three tokens and of two.
int64_t weights_per_token(const Transformer& model) {
  const auto read = [&](int64_t written) {
    int64_t size = 0;
    const TranslationOptions search = search_options({.cases = {}, .written = written}, 1);
    for (const GemmCall& product : products_of(model, {{3}}, search)) size += product.n * product.k;
    return size;
  };
  return read(3) - read(2);
}

// Calls cblas for each product. The right operands lie one after another in the first half of
// `weights`, which is as large as the weights that the decoder reads for one token; at its end,
// they continue at its beginning. The last operand may extend into the second half.
void multiply_raw(const std::vector<GemmCall>& products, const Tensor& weights) {
  int64_t a_size = 0, c_size = 0;
  for (const GemmCall& p : products) {
    a_size = std::max(a_size, p.m * p.k), c_size = std::max(c_size, p.m * p.n);
  }
  const Tensor a = Tensor::full({a_size}, real(0.5)), c({c_size});
  int64_t at = 0;
  for (const GemmCall& p : products) {
    raw_sgemm(p, a.data(), weights.data() + at, c.data());
    at = (at + p.k * p.n) % (weights.size() / 2);
  }
}

constexpr double unknown = std::numeric_limits<double>::infinity();

struct Result {
  double seconds = unknown, floor = unknown;
  double cached_floor = unknown;  // single: with weights read from caches
  double peak_mb = 0;
};

// Calls `work`, and keeps the shortest time of all calls. The memory is the peak during this call
// minus the memory in use before it.
void measure(Result& result, const std::function<void()>& work) {
  release_cached_memory();
  reset_peak_memory();
  const int64_t before = memory_statistics().used;
  result.seconds = std::min(result.seconds, seconds_of(work));
  result.peak_mb = static_cast<double>(memory_statistics().peak - before) / 1e6;
}

Result run_batches(const Transformer& model, const Sources& sources, const Options& options,
                   int64_t beam) {
  const TranslationOptions search = search_options(options, beam);
  std::vector<std::vector<GemmCall>> products;
  for (const std::vector<size_t>& batch :
       batches_of(translation_items(sources, search), beam, search.batch_tokens)) {
    Sources members;
    for (const size_t number : batch) members.push_back(sources[number]);
    products.push_back(products_of(model, members, search));
  }
  const Tensor weights = Tensor::full({2 * weights_per_token(model)}, real(0.5));
  const auto multiply = [&](int64_t batch) {
    multiply_raw(products[static_cast<size_t>(batch)], weights);
  };
  const Translator models[] = {model};
  Result result;
  for (int64_t round = 0; round < options.rounds; ++round) {
    const double per_thread = seconds_of([&] { for_tasks(std::ssize(products), multiply); });
    const double together = seconds_of([&] {
      for (int64_t batch = 0; batch < std::ssize(products); ++batch) multiply(batch);
    });
    result.floor = std::min({result.floor, per_thread, together});
    measure(result, [&] { translate(models, sources, search); });
  }
  return result;
}

// Returns the bytes per second of reading an array of this size again and again, about 4 GB in all.
double read_rate(int64_t bytes) {
  const int64_t times = std::max<int64_t>(4, 4'000'000'000 / bytes);
  const Tensor array = Tensor::full({bytes / static_cast<int64_t>(sizeof(real))}, 1);
  const double taken = seconds_of([&] {
    for (int64_t time = 0; time < times; ++time) sum(array);
  });
  return static_cast<double>(bytes * times) / taken;
}

Result run_single(const Transformer& model, const Sources& sources, const Options& options) {
  const TranslationOptions search = search_options(options, 1);
  const Translator models[] = {model};
  const int64_t bytes = weights_per_token(model) * static_cast<int64_t>(sizeof(real));
  constexpr int64_t beyond_caches = int64_t{1} << 30;
  const auto read = static_cast<double>(std::ssize(sources) * options.written * bytes);
  Result result;
  for (int64_t round = 0; round < options.rounds; ++round) {
    result.floor = std::min(result.floor, read / read_rate(beyond_caches));
    result.cached_floor = std::min(result.cached_floor, read / read_rate(bytes));
    measure(result, [&] {
      for (const std::vector<int32_t>& source : sources) translate(models, {source}, search);
    });
  }
  return result;
}

void print(const std::string& name, const Result& result, double floor, const Sources& sources,
           const Options& options) {
  const auto sentences = static_cast<double>(sources.size());
  const double tokens = sentences * static_cast<double>(options.written);
  fmt::print("{:28}{:12.1f}{:12.0f}{:14.0f}{:10.3f}{:12.1f}\n", name, sentences / result.seconds,
             tokens / result.seconds, tokens / floor, floor / result.seconds, result.peak_mb);
  std::fflush(stdout);
}

void run(const Options& options) {
  BenchModel model(preset_config("small").model, options.vocabulary);
  model.parameters.initialise(1);
  if (options.int8) round_weights_to_int8(model.parameters);
  Sources sources = make_sources(options);
  const auto wanted = [&](const char* name) {
    return options.cases.empty() || std::ranges::find(options.cases, name) != options.cases.end();
  };
  fmt::print("{} threads, {}\n{:28}{:>12}{:>12}{:>14}{:>10}{:>12}\n", threads(), blas_description(),
             "", "sentences/s", "tokens/s", "floor, tok/s", "share", "memory, MB");
  const auto batches = [&](const std::string& name, int64_t beam) {
    const Result result = run_batches(model.transformer, sources, options, beam);
    print(name, result, result.floor, sources, options);
  };
  if (wanted("greedy")) batches("greedy", 1);
  if (wanted("beam")) batches(fmt::format("beam {}", options.beam), options.beam);
  if (wanted("single")) {
    sources.resize(std::min<size_t>(sources.size(), 100));
    const Result result = run_single(model.transformer, sources, options);
    print("single, weights from memory", result, result.floor, sources, options);
    print("single, weights from caches", result, result.cached_floor, sources, options);
  }
}

}  // namespace

int main(int count, char** arguments) {
  Options options;
  CLI::App app("Decoding speed");
  app.add_option("cases", options.cases)->check(CLI::IsMember({"greedy", "beam", "single"}));
  app.add_option("--sentences", options.sentences)->check(CLI::Range(1, 1'000'000));
  app.add_option("--written", options.written, "tokens per translation, </s> included")
      ->check(CLI::Range(2, 1000));
  app.add_option("--beam", options.beam)->check(CLI::Range(1, 1000));
  app.add_option("--vocabulary", options.vocabulary)->check(CLI::Range(10, 10'000'000));
  app.add_flag("--int8", options.int8, "products with weights rounded to int8");
  app.add_option("--rounds", options.rounds)->check(CLI::Range(1, 1000));
  CLI11_PARSE(app, count, arguments);
  run(options);
}
