#pragma once
// Ranks that are threads of one process, for tests that need no MPI.

#include <functional>

#include "ranks/communicator.h"

namespace calque {

// Runs body(communicator) on `count` threads, a power of two, each as one rank. After all have
// ended, rethrows the first exception. If a rank throws, the exchanges of the others throw an
// Error.
void run_thread_ranks(int count, const std::function<void(Communicator&)>& body);

}  // namespace calque
