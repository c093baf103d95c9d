#include "cli/thread_waits.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace calque {

void shorten_thread_waits(char** arguments) {
  if (std::getenv("OMP_WAIT_POLICY") || std::getenv("GOMP_SPINCOUNT")) return;
  std::error_code failed;
  // The resolved path: after execv("/proc/self/exe") the process would be named exe.
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", failed);
  if (failed || setenv("GOMP_SPINCOUNT", "1000", 0) != 0) return;
  execv(program.c_str(), arguments);
}

}  // namespace calque
