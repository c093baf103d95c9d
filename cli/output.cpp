// stdout and std::cout record that a write failed, but not the cause. errno holds the cause only
// directly after the failed call.
#include "cli/output.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iostream>

#include "core/error.h"

namespace calque {
namespace {

[[noreturn]] void output_lost() {
  if (errno == EPIPE) throw BrokenPipe{};
  fail("standard output: {}", errno != 0 ? std::strerror(errno) : "not everything was written");
}

}  // namespace

void write_output(std::string_view text) {
  errno = 0;
  if (std::fwrite(text.data(), 1, text.size(), stdout) < text.size()) output_lost();
}

void finish_output() {
  errno = 0;
  std::cout.flush();
  const bool written = std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && std::cout.good();
  if (!written) output_lost();
}

void note_text(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stderr); }

std::string counted(int64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string reason_given() {
  return errno != 0 ? std::string(": ") + std::strerror(errno) : std::string();
}

}  // namespace calque
