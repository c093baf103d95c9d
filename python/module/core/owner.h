#pragma once
// A Python object that C++ keeps alive and releases on any thread, with or without the GIL.

#include <pybind11/pybind11.h>

#include <memory>

namespace calque::python {

// Whether the interpreter accepts calls. If not, objects are abandoned, as the process ends.
bool interpreter_runs();

using Owned = std::shared_ptr<PyObject>;
Owned owned(pybind11::object object);

// A shared pointer to `thing` that calls release(thing) with the GIL.
template <class Thing, class Release>
std::shared_ptr<Thing> released_with_gil(Thing* thing, Release release) {
  return {thing, [release](Thing* last) {
            if (!interpreter_runs()) return;
            const pybind11::gil_scoped_acquire held;
            release(last);
          }};
}

}  // namespace calque::python
