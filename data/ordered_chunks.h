#pragma once
// A parallel loop whose error is a function of the input alone: if several chunks fail, the first
// in order is reported, whichever thread fails first.

#include <cstdint>
#include <exception>
#include <vector>

#include "core/parallel.h"

namespace calque {

// Calls body(begin, end) as parallel_for() does, but for every chunk, and then rethrows what the
// first failed chunk threw. (parallel_for() skips chunks that had not begun when another failed.)
template <class Body>
void parallel_chunks(int64_t count, int64_t chunk, const Body& body) {
  std::vector<std::exception_ptr> failures(static_cast<size_t>((count + chunk - 1) / chunk));
  parallel_for(count, chunk, [&](int64_t begin, int64_t end) {
    try {
      body(begin, end);
    } catch (...) {
      failures[static_cast<size_t>(begin / chunk)] = std::current_exception();
    }
  });
  for (const std::exception_ptr& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
}

}  // namespace calque
