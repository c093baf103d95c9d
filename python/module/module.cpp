// calque._calque: the functions and classes in C++ behind the package calque.
#include <pybind11/pybind11.h>

#include <filesystem>
#include <new>
#include <string>
#include <string_view>

#include "core/error.h"
#include "module/core/bind.h"
#include "module/runs/bind.h"

namespace py = pybind11;

namespace calque::python {
namespace {

// What the user can fix is a calque.Error, with the message of the command line; a Misuse is a
// ValueError, as for NumPy's functions.
void register_errors(py::module_& module) {
  static py::exception<Error> type(module, "Error", PyExc_RuntimeError);
  type.doc() = "Something that the user can fix: a bad file, a bad setting, a full disk.";
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const Error& error) {
      std::string_view message = error.what();  // settings of Python are not on a command line
      if (message.starts_with("--set ")) message.remove_prefix(6);
      if (message.starts_with("--")) message.remove_prefix(2);
      PyErr_SetString(type.ptr(), std::string(message).c_str());
    } catch (const Misuse& misuse) {
      PyErr_SetString(PyExc_ValueError, misuse.what());
    } catch (const std::filesystem::filesystem_error& failed) {
      const auto& path = failed.path2().empty() ? failed.path1() : failed.path2();
      PyErr_SetString(type.ptr(), (path.string() + ": " + failed.code().message()).c_str());
    }
  });
}

}  // namespace
}  // namespace calque::python

PYBIND11_MODULE(_calque, module) {
  module.doc() = "The functions and classes in C++ behind the package calque.";
  module.attr("__version__") = CALQUE_VERSION;
  calque::python::register_errors(module);
  calque::python::bind_core(module);
  calque::python::bind_runs(module);
}
