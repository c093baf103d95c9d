#include "module/core/bind.h"

#include "core/threads/parallel.h"

namespace calque::python {

void bind_core(pybind11::module_& module) {
  module.def("threads", &threads, "The number of threads that ops use.");
  module.def("set_threads", &set_threads, pybind11::arg("count"));
}

}  // namespace calque::python
