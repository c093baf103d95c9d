#pragma once
// The part of the module that binds core/, nn/ and optim/.

#include <pybind11/pybind11.h>

namespace calque::python {

void bind_core(pybind11::module_& module);

}  // namespace calque::python
