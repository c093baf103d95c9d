#pragma once
// Tapes for Python's `with`, which may end out of order, in a generator, on another thread or
// never. A thread owns its scopes; another thread can only mark one as closed, and the owner
// removes it before it computes again.

#include <pybind11/pybind11.h>

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "core/tape.h"
#include "core/trace.h"

namespace calque::python {

namespace py = pybind11;

// A tape, or a scope without one.
struct TapeScope {
  std::thread::id thread = std::this_thread::get_id();
  std::atomic<bool> closed = false;
  Trace trace;
  std::optional<Tape> tape;
  std::optional<NoGradient> nothing;
};

// Removes what other threads have closed, and begins the time of the next op in the trace.
void begin_op();

// `with Tape():` and `with no_grad():`
class ScopeHandle {
 public:
  ScopeHandle(bool records, const Tape::Randomness& randomness, Tape::Check check)
      : records_(records), randomness_(randomness), check_(check) {}
  ~ScopeHandle() { close(); }
  ScopeHandle(const ScopeHandle&) = delete;
  ScopeHandle& operator=(const ScopeHandle&) = delete;

  void enter();
  void exit();
  int64_t recorded() const;
  // The graph, for drawings: a dict for each op.
  py::list nodes() const;

 private:
  void close();
  const TapeScope& on_this_thread() const;

  bool records_;
  Tape::Randomness randomness_;
  Tape::Check check_;
  std::shared_ptr<TapeScope> scope_;
};

// backward() with a seed that is None, a number or a tensor.
void run_backward(const Tensor& y, const py::object& seed);

// The nodes of the tape, current or the last one of this thread, that recorded the tensor.
py::list nodes_of(const Tensor& x);

// Records an op written in Python: backward(dy) returns a list with a gradient, or None, for each
// input.
Tensor record_python_op(const std::string& name, const Tensor& y, const std::vector<Tensor>& inputs,
                        py::object backward);

void bind_tapes(py::module_& module);

}  // namespace calque::python
