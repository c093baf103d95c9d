#pragma once
// DLPack: tensors to and from other libraries without a copy (https://dmlc.github.io/dlpack).

#include <pybind11/pybind11.h>

#include "core/tensor.h"

namespace calque::python {

// A capsule named "dltensor", which keeps the values alive until its consumer deletes it.
pybind11::capsule to_dlpack(const Tensor& x);

// Takes over the capsule of object.__dlpack__(). Throws for another device, type or layout.
Tensor from_dlpack(const pybind11::object& object);

}  // namespace calque::python
