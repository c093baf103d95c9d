#include "step_products.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <csignal>

#include "core/error.h"

extern char** environ;

namespace calque {
namespace {

// Forward as the step goes, backward in reverse.
struct Lists {
  std::vector<Product> forward, backward;

  void linear(int64_t rows, int64_t in, int64_t out) {
    forward.push_back({.m = rows, .n = out, .k = in});
    backward.push_back({.m = rows, .n = in, .k = out, .b_flipped = true});
    backward.push_back({.m = in, .n = out, .k = rows, .a_flipped = true});
  }
  void feed_forward(int64_t rows, const TransformerOptions& o) {
    linear(rows, o.d_model, o.d_ff);
    linear(rows, o.d_ff, o.d_model);
  }
  void self_attention(int64_t rows, int64_t d) {
    linear(rows, d, 3 * d);
    linear(rows, d, d);
  }
  void cross_attention(int64_t rows, int64_t memory_rows, int64_t d) {
    linear(rows, d, d);
    linear(memory_rows, d, 2 * d);
    linear(rows, d, d);
  }
  // Logits of a block, and at once the gradients: dx, and dw summed over the blocks.
  void loss(int64_t rows, int64_t d, int64_t vocabulary) {
    const int64_t most = std::clamp<int64_t>((int64_t{2} << 20) / vocabulary, 32, 1024);
    for (int64_t first = 0; first < rows; first += most) {
      const int64_t block = std::min(most, rows - first);
      forward.push_back({.m = block, .n = vocabulary, .k = d, .b_flipped = true});
      forward.push_back({.m = block, .n = d, .k = vocabulary});
      forward.push_back({.m = vocabulary, .n = d, .k = block, .a_flipped = true, .add = first > 0});
    }
  }
};

bool cpu_has_avx512() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl");
#else
  return false;
#endif
}

// The environment with other settings in the place of those of the same names.
std::vector<std::string> environment_with(const std::vector<std::string>& settings) {
  std::vector<std::string> all = settings;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const std::string name = text.substr(0, text.find('=') + 1);
    if (std::ranges::none_of(settings, [&](const auto& s) { return s.starts_with(name); })) {
      all.push_back(text);
    }
  }
  return all;
}

}  // namespace

std::vector<Product> step_products(const TransformerOptions& options, int64_t source_tokens,
                                   int64_t target_tokens) {
  require(options.feed_forward == FeedForwardKind::relu, "step_products knows only relu layers");
  Lists lists;
  for (int64_t i = 0; i < options.encoder_layers; ++i) {
    lists.self_attention(source_tokens, options.d_model);
    lists.feed_forward(source_tokens, options);
  }
  for (int64_t i = 0; i < options.decoder_layers; ++i) {
    lists.self_attention(target_tokens, options.d_model);
    lists.cross_attention(target_tokens, source_tokens, options.d_model);
    lists.feed_forward(target_tokens, options);
  }
  lists.loss(target_tokens, options.d_model, options.target_vocabulary);
  std::vector<Product> all = lists.forward;
  all.insert(all.end(), lists.backward.rbegin(), lists.backward.rend());

  double flops = 0;
  for (const Product& p : all) flops += 2.0 * double(p.m) * double(p.n) * double(p.k);
  const double counted =
      3 * forward_flops(options, {.source_tokens = static_cast<double>(source_tokens),
                                  .target_tokens = static_cast<double>(target_tokens)});
  require(std::abs(flops - counted) < 1e-9 * counted,
          "step_products: {} FLOPs, but the model's summary counts {}", flops, counted);
  return all;
}

RawProducts::RawProducts(const std::string& program, int threads) {
  std::vector<std::string> settings = {fmt::format("OMP_NUM_THREADS={}", threads)};
  if (cpu_has_avx512()) settings.push_back("OPENBLAS_CORETYPE=SKYLAKEX");
  std::vector<std::string> environment = environment_with(settings);
  std::vector<char*> pointers;
  pointers.reserve(environment.size() + 1);
  for (std::string& entry : environment) pointers.push_back(entry.data());
  pointers.push_back(nullptr);

  std::signal(SIGPIPE, SIG_IGN);
  std::array<int, 2> in{}, out{};
  if (pipe2(in.data(), O_CLOEXEC) != 0 || pipe2(out.data(), O_CLOEXEC) != 0) {
    fail("bench: no pipe to {}", program);
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
  std::string name = program;
  char* arguments[] = {name.data(), nullptr};
  const int error =
      posix_spawn(&process_, name.c_str(), &actions, nullptr, arguments, pointers.data());
  posix_spawn_file_actions_destroy(&actions);
  close(in[0]);
  close(out[1]);
  to_ = fdopen(in[1], "w");
  from_ = fdopen(out[0], "r");
  std::array<char, 64> line{};
  if (error != 0 || std::fscanf(from_, "%63s", line.data()) != 1) {
    fail("{}: cannot be started; build it, with -DCALQUE_BENCH=ON", program);
  }
  kernels_ = line.data();
}

RawProducts::~RawProducts() {
  std::fclose(to_);
  std::fclose(from_);
  waitpid(process_, nullptr, 0);
}

RawProducts::Answer RawProducts::run(const std::vector<Product>& products) {
  fmt::print(to_, "{}\n", products.size());
  for (const Product& p : products) {
    fmt::print(to_, "{} {} {} {:d} {:d} {:d}\n", p.m, p.n, p.k, p.a_flipped, p.b_flipped, p.add);
  }
  std::fflush(to_);
  Answer answer{};
  if (std::fscanf(from_, "%lf %lf", &answer.seconds, &answer.rate) != 2) {
    fail("raw_products ended early");
  }
  usleep(20'000);  // until its threads, which wait actively at first, have gone to sleep
  return answer;
}

}  // namespace calque
