#pragma once
// A parallel loop with a deterministic error: of the chunks that fail, the first in order throws.

#include <cstdint>
#include <exception>
#include <vector>

#include "core/threads/parallel.h"

namespace calque {

// Calls body(begin, end) for every chunk, also after a failure (unlike parallel_for()).
template <class Body>
void parallel_chunks(int64_t count, int64_t chunk, const Body& body) {
  std::vector<std::exception_ptr> failures((count + chunk - 1) / chunk);
  parallel_for(count, chunk, [&](int64_t begin, int64_t end) {
    try {
      body(begin, end);
    } catch (...) {
      failures[begin / chunk] = std::current_exception();
    }
  });
  for (const std::exception_ptr& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
}

}  // namespace calque
