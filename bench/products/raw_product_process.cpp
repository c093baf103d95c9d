// Starts bench/raw_products and exchanges requests and answers with it through two pipes.
#include "raw_product_process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "core/error.h"

extern char** environ;

namespace calque {
namespace {

bool cpu_has_avx512() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl");
#else
  return false;
#endif
}

// The environment of this process, overridden by `settings`, each NAME=VALUE.
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
    fail("{}: no pipe could be created: {}", program, std::strerror(errno));
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
    fail("{}: cannot be started; build it with -DCALQUE_BENCH=ON", program);
  }
  kernels_ = line.data();
}

RawProducts::~RawProducts() {
  std::fclose(to_);
  std::fclose(from_);
  waitpid(process_, nullptr, 0);
}

RawProducts::Answer RawProducts::run(const std::vector<GemmCall>& products) {
  fmt::print(to_, "{}\n", products.size());
  for (const GemmCall& p : products) {
    fmt::print(to_, "{} {} {} {:d} {:d} {:d}\n", p.m, p.n, p.k, p.a_transposed, p.b_transposed,
               p.accumulate);
  }
  std::fflush(to_);
  Answer answer{};
  if (std::fscanf(from_, "%lf %lf", &answer.seconds, &answer.rate) != 2) {
    fail("raw_products ended early");
  }
  usleep(20'000);  // the threads of raw_products spin for a while before they sleep
  return answer;
}

}  // namespace calque
