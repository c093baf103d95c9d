// Runs as they are on the disk: curves, samples, reports.
#include "module/runs/bind.h"
#include "module/runs/opened.h"
#include "train/report/figures/figure.h"
#include "train/report/pages/report_page.h"
#include "train/report/run_metrics.h"
#include "train/tasks/registry.h"

namespace calque::python {
namespace {

ReportRun read(const std::string& path) {
  ReportRun run = read_run(path, {});
  const auto metrics = metrics_of(run.config);
  run.metrics.assign(metrics.begin(), metrics.end());
  return run;
}

py::dict columns_of(const MetricsTable& table) {
  py::dict columns;
  const auto add = [&](const std::string& name, const std::vector<double>& values) {
    columns[py::str(name)] = matrix(1, std::ssize(values), values).attr("ravel")();
  };
  add("step", table.step);
  add("epoch", table.epoch);
  add("tokens", table.tokens);
  add("seconds", table.seconds);
  for (const auto& [name, values] : table.columns) add(name, values);
  return columns;
}

py::list samples_of(const ReportRun& run) {
  py::list list;
  for (const SamplesAtStep& at : run.samples) {
    for (const Sample& sample : at.samples) {
      list.append(py::make_tuple(static_cast<int64_t>(at.step), sample.input, sample.reference,
                                 sample.output));
    }
  }
  return list;
}

std::string figure_of(const std::vector<ReportRun>& runs, const std::vector<std::string>& columns,
                      const std::string& over, double smoothing, bool logarithmic) {
  const auto axis = choice_named(curve_axes, over);
  if (!axis) fail("over: must be step, epoch, tokens or time, not {}", over);
  return figure_svg(runs, {*axis, columns, smoothing, logarithmic});
}

}  // namespace

void bind_reading(py::module_& module) {
  py::class_<ReportRun>(module, "ReportRun")
      .def(py::init(&read), py::arg("path"))
      .def_readonly("name", &ReportRun::name)
      .def_readonly("config", &ReportRun::config)
      .def_readonly("remarks", &ReportRun::remarks)
      .def("train", [](const ReportRun& run) { return columns_of(run.train); })
      .def("valid", [](const ReportRun& run) { return columns_of(run.valid); })
      .def("samples", &samples_of);
  module.def("report_page", [](const std::vector<ReportRun>& runs) { return report_page(runs); });
  module.def("figure_svg", &figure_of);
}

}  // namespace calque::python
