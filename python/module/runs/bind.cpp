#include "module/runs/bind.h"

namespace calque::python {

void bind_runs(pybind11::module_& module) { (void)module; }

}  // namespace calque::python
