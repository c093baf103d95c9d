// Runs in other formats: exported, imported, quantised, averaged.
#include <fmt/ranges.h>

#include <algorithm>

#include "core/error.h"
#include "interop/runs/export.h"
#include "interop/runs/import.h"
#include "module/runs/bind.h"
#include "module/runs/opened.h"
#include "train/tasks/registry.h"
#include "train/weights/averaging.h"
#include "train/weights/quantizing.h"

namespace calque::python {

void bind_conversion(py::module_& module) {
  module.def("formats", &format_names);
  module.def(
      "export_run",
      [](const std::string& run, const std::string& format, const std::string& out,
         const std::string& type) {
        if (std::ranges::count(format_names(), format) == 0) {
          fail("format: must be {}, not {}", fmt::join(format_names(), ", "), format);
        }
        return export_run(run, format_named(format), out, type);
      },
      py::call_guard<py::gil_scoped_release>());
  module.def("import_run", &import_run, py::call_guard<py::gil_scoped_release>());
  module.def(
      "quantize_run",
      [](const std::string& run, const std::string& out) { quantize_weights(run, out, make_task); },
      py::call_guard<py::gil_scoped_release>());
  module.def(
      "average_runs",
      [](const std::vector<std::string>& runs, const std::string& out) {
        average_weights(runs, out, make_task);
      },
      py::call_guard<py::gil_scoped_release>());
  module.def("require_run", [](const std::string& run) { find_run(run); });
  module.def("task_of", [](const std::string& run) {
    return std::string(name_of(task_kinds, find_run(run).config.task));
  });
}

}  // namespace calque::python
