#pragma once
// What surrounds a computation that Python has called: denormals are flushed as on every compute
// thread and the caller's floating-point state comes back afterwards; the GIL is released if the
// work is long enough to be worth it.

#include <pybind11/pybind11.h>

#include <mutex>
#include <optional>
#ifdef __SSE2__
#include <immintrin.h>
#endif

#include "core/threads/parallel.h"

namespace calque::python {

class FlushedDenormals {
 public:
#ifdef __SSE2__
  FlushedDenormals() : before_(_mm_getcsr()) {
    flush_denormals();
    _mm_setcsr(before_ | 0x8040);  // results and inputs
  }
  ~FlushedDenormals() { _mm_setcsr(before_); }

 private:
  unsigned before_;
#else
  FlushedDenormals() = default;
#endif

 public:
  FlushedDenormals(const FlushedDenormals&) = delete;
  FlushedDenormals& operator=(const FlushedDenormals&) = delete;
};

// From so many numbers on, releasing the GIL costs little beside the work.
inline constexpr int64_t worth_releasing = 8192;

class Computing {
 public:
  explicit Computing(int64_t numbers = worth_releasing) {
    if (numbers >= worth_releasing) released_.emplace();
  }

 private:
  std::optional<pybind11::gil_scoped_release> released_;
  FlushedDenormals flushed_;
};

// Holds the lock of all gradients of leaves, which threads may share: one backward pass or update
// runs at a time. The GIL is released first, so that whoever waits lets the others finish.
class HoldingGradients {
 public:
  HoldingGradients() : lock_(mutex()) {}
  static void forget_in_child();  // after fork(), where another thread may have held the lock

 private:
  static std::recursive_mutex& mutex();
  Computing computing_;
  std::unique_lock<std::recursive_mutex> lock_;
};

}  // namespace calque::python
