// Sentences and tokens a second of translating with a Transformer of the small preset (3 layers,
// d_model 256): random weights, sources with the lengths of real sentences, and as many tokens
// written for each as --written says. Beside each figure stands its floor, measured in the same
// run:
//
//   greedy, beam   the decoding's own products with weight matrices, called raw through cblas
//   single         one sentence at a time: the weights of the decoder read once a token, at the
//   rate
//                  of this machine's memory; and at that of its caches, as far as they hold an
//                  array of just the weights' size
//
// The floors take both processors the better of two ways: each batch by one thread, or each product
// by all. bench/peers/pytorch_decode.py does the same work with PyTorch.
//
//   build/release/bench/decode [greedy] [beam] [single] [--sentences 1000] [--rounds 3] [--json]
#include <cblas.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/blas.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "core/random.h"
#include "core/simd.h"
#include "decode/decoding_batches.h"
#include "decode/translation.h"
#include "lengths.h"
#include "timing.h"

using namespace calque;

namespace {

struct Options {
  std::vector<std::string> cases;
  std::string lengths = CALQUE_SOURCE_DIR "/bench/multi30k_lengths.txt";
  int64_t sentences = 1000, written = 30, beam = 5, vocabulary = 8000, rounds = 3, batch_tokens = 0;
  uint64_t seed = 1;
  int threads = 0;
  bool json = false;
};

struct Model {
  explicit Model(const TransformerOptions& options) : transformer(Path(parameters), options) {
    parameters.allocate();
    parameters.initialise(1);
  }
  Parameters parameters;
  Transformer transformer;
};

TransformerOptions small_preset(int64_t vocabulary) {
  TransformerOptions options;
  options.source_vocabulary = options.target_vocabulary = vocabulary;
  options.encoder_layers = options.decoder_layers = 3;
  options.layer.d_model = 256, options.layer.d_ff = 1024, options.layer.heads = 4;
  return options;
}

using Sources = std::vector<std::vector<int32_t>>;

Sources make_sources(const Options& options) {
  PairLengths lengths = lengths_of_table(options.lengths);
  Random random({.seed = options.seed});
  random.shuffle(lengths);
  Sources sources;
  for (int64_t i = 0; i < options.sentences; ++i) {
    const auto length = static_cast<size_t>(lengths[static_cast<size_t>(i) % lengths.size()].first);
    std::vector<int32_t>& ids = sources.emplace_back(length);
    for (int32_t& id : ids) {
      id = 3 + static_cast<int32_t>(random.below(static_cast<uint64_t>(options.vocabulary - 3)));
    }
  }
  return sources;
}

TranslationOptions search_options(const Options& options, int64_t beam) {
  TranslationOptions search;
  search.beam = beam;
  search.min_length = search.max_length = options.written - 1;  // and </s>
  search.max_length_extra = options.written;
  if (options.batch_tokens > 0) search.batch_tokens = options.batch_tokens;
  return search;
}

// x [rows, in] times a weight, as it lies: [in, out], or the output projection's [out, in],
// flipped.
struct Product {
  int64_t rows;
  Matrix weight;
};

// The products with weights of one batch, in the order of the search.
std::vector<Product> products_of(const Transformer& model, int64_t tokens, int64_t sentences,
                                 int64_t beam, int64_t steps) {
  std::vector<Product> products;
  const auto add = [&](int64_t rows, const Linear& linear) {
    const Tensor& weight = linear.weight;
    products.push_back({rows, {weight.data(), weight.rows(), weight.cols()}});
  };
  for (const SelfAttentionLayer& layer : model.encoder.layers) {
    add(tokens, layer.self_attention.qkv), add(tokens, layer.self_attention.output);
    add(tokens, layer.feed_forward.inner), add(tokens, layer.feed_forward.outer);
  }
  for (const DecoderLayer& layer : model.decoder.layers)
    add(tokens, layer.cross_attention.key_value);
  for (int64_t step = 0; step < steps; ++step) {
    const int64_t rows = step == 0 ? sentences : sentences * beam;
    for (const Matrix& weight : translation_model(model, {}).right_sides) {
      products.push_back({rows, weight});
    }
  }
  return products;
}

void multiply_raw(const std::vector<Product>& products) {
  int64_t x_size = 0, y_size = 0;
  const auto in = [](const Product& p) { return p.weight.flipped ? p.weight.cols : p.weight.rows; };
  const auto out = [](const Product& p) {
    return p.weight.flipped ? p.weight.rows : p.weight.cols;
  };
  for (const Product& p : products) {
    x_size = std::max(x_size, p.rows * in(p)), y_size = std::max(y_size, p.rows * out(p));
  }
  const Tensor x = Tensor::full({x_size}, real(0.5)), y({y_size});
  const auto size = [](int64_t value) { return static_cast<blasint>(value); };
  for (const Product& p : products) {
    cblas_sgemm(CblasRowMajor, CblasNoTrans, p.weight.flipped ? CblasTrans : CblasNoTrans,
                size(p.rows), size(out(p)), size(in(p)), 1, x.data(), size(in(p)), p.weight.data,
                size(p.weight.stride), 0, y.data(), size(out(p)));
  }
}

struct Result {
  double seconds = 1e300, floor = 1e300;
  double batch_a_thread = 1e300;  // the floor, each batch by one thread
  double cached_floor = 1e300;    // of single sentences, at the rate of the caches
  double peak_mb = 0;
};

Result run_batches(const Model& model, const Sources& sources, const Options& options,
                   int64_t beam) {
  const TranslationOptions search_for = search_options(options, beam);
  std::vector<std::vector<Product>> products;
  for (const std::vector<size_t>& batch :
       batches_of(translation_items(sources, search_for), beam, search_for.batch_tokens)) {
    int64_t tokens = 0;
    for (const size_t number : batch) tokens += std::ssize(sources[number]) + 1;
    products.push_back(
        products_of(model.transformer, tokens, std::ssize(batch), beam, options.written));
  }
  const Transformer* const models[] = {&model.transformer};
  Result result;
  for (int64_t round = 0; round < options.rounds; ++round) {
    const double alone = seconds_of([&] {
      parallel_for(std::ssize(products), 1, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) multiply_raw(products[static_cast<size_t>(i)]);
      });
    });
    const double together = seconds_of([&] {
      for (const std::vector<Product>& batch : products) multiply_raw(batch);
    });
    result.batch_a_thread = std::min(result.batch_a_thread, alone);
    result.floor = std::min({result.floor, alone, together});
    reset_peak_memory();
    const int64_t before = memory_statistics().used;
    result.seconds =
        std::min(result.seconds, seconds_of([&] { translate(models, sources, search_for); }));
    result.peak_mb = static_cast<double>(memory_statistics().peak - before) / 1e6;
  }
  return result;
}

// Bytes of the weights that a decoder reads to write one token.
int64_t bytes_a_token(const Transformer& model) {
  int64_t size = 0;
  for (const Product& p : products_of(model, 0, 1, 1, 1))
    size += p.rows * p.weight.rows * p.weight.cols;
  return size * static_cast<int64_t>(sizeof(real));
}

// Bytes a second of reading an array of this size again and again, its parts by one thread each.
double read_rate(int64_t bytes) {
  const int64_t times = std::max<int64_t>(4, 4'000'000'000 / bytes);
  const Tensor array = Tensor::full({bytes / static_cast<int64_t>(sizeof(real))}, 1);
  const int64_t part = (array.size() + threads() - 1) / threads();
  std::vector<real> sums(static_cast<size_t>(threads()) * 64);
  const double taken = seconds_of([&] {
    parallel_for(array.size(), part, [&](int64_t begin, int64_t end) {
      Vec total[4] = {};
      for (int64_t time = 0; time < times; ++time) {
        for (int64_t i = begin; i + 4 * lanes <= end; i += 4 * lanes) {
          for (int64_t v = 0; v < 4; ++v) total[v] += load(array.data() + i + v * lanes);
        }
      }
      sums[static_cast<size_t>(begin / part * 64)] = sum(total[0] + total[1] + total[2] + total[3]);
    });
  });
  return static_cast<double>(bytes * times) / taken;
}

Result run_single(const Model& model, const Sources& sources, const Options& options) {
  const TranslationOptions search_for = search_options(options, 1);
  const Transformer* const models[] = {&model.transformer};
  const int64_t count = std::min<int64_t>(std::ssize(sources), 100),
                bytes = bytes_a_token(model.transformer);
  constexpr int64_t beyond_caches = int64_t{1} << 30;
  const auto read = static_cast<double>(count * options.written * bytes);
  Result result;
  for (int64_t round = 0; round < options.rounds; ++round) {
    result.floor = std::min(result.floor, read / read_rate(beyond_caches));
    result.cached_floor = std::min(result.cached_floor, read / read_rate(bytes));
    release_cached_memory();
    reset_peak_memory();
    const int64_t before = memory_statistics().used;
    const double taken = seconds_of([&] {
      for (int64_t i = 0; i < count; ++i) {
        translate(models, {sources[static_cast<size_t>(i)]}, search_for);
      }
    });
    result.seconds = std::min(result.seconds, taken);
    result.peak_mb = static_cast<double>(memory_statistics().peak - before) / 1e6;
  }
  return result;
}

void print(const std::string& name, const Result& result, double floor, int64_t sentences,
           const Options& options) {
  const auto tokens = static_cast<double>(sentences * options.written);
  const nlohmann::ordered_json json = {
      {"case", name},
      {"sentences_per_s", static_cast<double>(sentences) / result.seconds},
      {"tokens_per_s", tokens / result.seconds},
      {"floor_tokens_per_s", tokens / floor},
      {"share_of_floor", floor / result.seconds},
      {"memory_mb", result.peak_mb},
      {"threads", threads()},
      {"products", blas_description()}};
  if (options.json) {
    fmt::print("{}\n", json.dump());
    return;
  }
  fmt::print("{:28}{:12.1f}{:12.0f}{:14.0f}{:10.3f}{:12.1f}\n", name,
             static_cast<double>(sentences) / result.seconds, tokens / result.seconds,
             tokens / floor, floor / result.seconds, result.peak_mb);
  std::fflush(stdout);
}

void run(const Options& options) {
  const Model model(small_preset(options.vocabulary));
  const Sources sources = make_sources(options);
  const auto wanted = [&](const char* name) {
    return options.cases.empty() || std::ranges::find(options.cases, name) != options.cases.end();
  };
  if (!options.json) {
    fmt::print("{} threads, {}\n{:28}{:>12}{:>12}{:>14}{:>10}{:>12}\n", threads(),
               blas_description(), "", "sentences/s", "tokens/s", "floor, tok/s", "share",
               "memory, MB");
  }
  const auto batches = [&](const std::string& name, int64_t beam) {
    const Result result = run_batches(model, sources, options, beam);
    print(name, result, result.floor, options.sentences, options);
  };
  if (wanted("greedy")) batches("greedy", 1);
  if (wanted("beam")) batches(fmt::format("beam {}", options.beam), options.beam);
  if (wanted("single")) {
    const Result result = run_single(model, sources, options);
    const int64_t sentences = std::min<int64_t>(options.sentences, 100);
    print("single, weights from memory", result, result.floor, sentences, options);
    print("single, weights from caches", result, result.cached_floor, sentences, options);
  }
}

}  // namespace

int main(int count, char** arguments) {
  Options options;
  CLI::App app("Decoding speed");
  app.add_option("cases", options.cases)->check(CLI::IsMember({"greedy", "beam", "single"}));
  app.add_option("--sentences", options.sentences)->check(CLI::Range(1, 1'000'000));
  app.add_option("--written", options.written)->check(CLI::Range(2, 1000));
  app.add_option("--beam", options.beam)->check(CLI::Range(1, 1000));
  app.add_option("--vocabulary", options.vocabulary)->check(CLI::Range(10, 10'000'000));
  app.add_option("--batch-tokens", options.batch_tokens);
  app.add_option("--lengths", options.lengths);
  app.add_option("--rounds", options.rounds)->check(CLI::Range(1, 1000));
  app.add_option("--seed", options.seed);
  app.add_option("--threads", options.threads);
  app.add_flag("--json", options.json);
  CLI11_PARSE(app, count, arguments);
  if (options.threads > 0) set_threads(options.threads);
  run(options);
}
