#pragma once
// Parameters and paths for Python. Whatever is built at a path shares the ownership of the
// parameters, and computes only once they have values.

#include <memory>

#include "core/parameters.h"
#include "module/core/ops.h"
#include "nn/mode.h"

namespace calque::python {

using SharedParameters = std::shared_ptr<Parameters>;

struct SharedPath {
  SharedParameters store;
  Path path;
};
// From a path, or from parameters as the root.
SharedPath to_path(const py::object& at);

// A module or model and the parameters it is built on.
template <class Module>
struct Built {
  SharedParameters store;
  Module module;

  template <class... Arguments>
  explicit Built(const SharedPath& at, const Arguments&... arguments)
      : store(at.store), module(at.path, arguments...) {}

  // Calls f(module), which may take long.
  template <class Function>
  auto run(Function&& f) const {
    if (!store->allocated()) {
      throw py::value_error("the parameters have no values yet; call parameters.initialise(seed)");
    }
    begin_op();
    const Computing computing;
    return f(module);
  }
};

inline Mode mode_of(bool train) { return train ? Mode::train : Mode::evaluate; }

void bind_parameters(py::module_& module);
void bind_layers(py::module_& module);
void bind_models(py::module_& module);
void bind_optimisers(py::module_& module);

}  // namespace calque::python
