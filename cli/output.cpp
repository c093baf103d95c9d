// Both buffers remember a failed write until they are asked.
#include "cli/output.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iostream>

#include "core/error.h"

namespace calque {

void finish_output() {
  errno = 0;
  std::cout.flush();
  const bool written = std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && std::cout.good();
  if (written) return;
  if (errno == EPIPE) throw BrokenPipe{};
  fail("standard output: {}", errno != 0 ? std::strerror(errno) : "not everything was written");
}

}  // namespace calque
