#include "cli/thread_waits.h"

#include <cstdlib>

namespace calque {

bool shorten_thread_waits() {
  if (std::getenv("OMP_WAIT_POLICY") || std::getenv("GOMP_SPINCOUNT")) return false;
  return setenv("GOMP_SPINCOUNT", "1000", 0) == 0;
}

}  // namespace calque
