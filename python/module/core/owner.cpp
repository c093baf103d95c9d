#include "module/core/owner.h"

#include "module/core/computing.h"

namespace calque::python {

bool interpreter_runs() {
#if PY_VERSION_HEX >= 0x030d0000
  return Py_IsInitialized() && !Py_IsFinalizing();
#else
  return Py_IsInitialized() && !_Py_IsFinalizing();
#endif
}

Owned owned(pybind11::object object) {
  return released_with_gil(object.release().ptr(), [](PyObject* last) { Py_DECREF(last); });
}

namespace {
std::recursive_mutex* gradients_mutex = new std::recursive_mutex;
}  // namespace

std::recursive_mutex& HoldingGradients::mutex() { return *gradients_mutex; }
void HoldingGradients::forget_in_child() { gradients_mutex = new std::recursive_mutex; }

}  // namespace calque::python
