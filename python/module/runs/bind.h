#pragma once
// The part of the module that binds runs: what the commands of calque compute.

#include <pybind11/pybind11.h>

namespace calque::python {

void bind_runs(pybind11::module_& module);

}  // namespace calque::python
