#pragma once
// Calls the engine without the GIL, so that other Python threads run meanwhile. Ctrl-C ends a
// computation between two of its parts.

#include <pybind11/pybind11.h>

#include <cstdint>
#include <functional>
#include <thread>
#include <utility>

#include "module/core/computing.h"

namespace calque::python {

// What compute() returns, with the GIL released and denormals flushed.
template <class Compute>
auto without_gil(Compute&& compute) {
  const Computing computing;
  return std::forward<Compute>(compute)();
}

// Passes progress to Python. The engine calls it from any of its threads; the thread that made it
// also looks for signals. An exception of either ends the computation, which rethrows it.
class Watch {
 public:
  // `done` is a function of the number of finished items, or None.
  explicit Watch(pybind11::object done) : done_(std::move(done)) {}

  std::function<void(int64_t)> function() const {
    return [this](int64_t items) { (*this)(items); };
  }
  void operator()(int64_t items) const {
    const bool own = std::this_thread::get_id() == thread_;
    if (!own && done_.is_none()) return;
    const pybind11::gil_scoped_acquire acquired;
    if (own && PyErr_CheckSignals() != 0) throw pybind11::error_already_set();
    if (!done_.is_none()) done_(items);
  }

 private:
  pybind11::object done_;
  std::thread::id thread_ = std::this_thread::get_id();
};

}  // namespace calque::python
