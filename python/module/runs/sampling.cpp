// The settings of sampling, with the ranges of the command line.
#include "decode/search/sampling.h"

#include <limits>

#include "core/error.h"
#include "module/runs/bind.h"
#include "module/runs/opened.h"

namespace calque::python {
namespace {

void require_range(const char* name, double value, double least, double most) {
  if (!(value >= least && value <= most)) {
    fail("{}: must be from {} to {}, not {}", name, least, most, value);
  }
}

Sampling sampling_of(double temperature, int64_t top_k, double top_p, double min_p,
                     double repetition_penalty, uint64_t seed) {
  require_range("temperature", temperature, 0, 1000);
  require_range("top_k", double(top_k), 0, double(int64_t{1} << 31));
  require_range("top_p", top_p, 0, 1);
  require_range("min_p", min_p, 0, 1);
  require_range("repetition_penalty", repetition_penalty, 0.01, 100);
  return {temperature, top_k, top_p, min_p, repetition_penalty, seed};
}

}  // namespace

void bind_sampling(py::module_& module) {
  py::class_<Sampling>(module, "Sampling")
      .def(py::init(&sampling_of), py::arg("temperature") = 1, py::arg("top_k") = 0,
           py::arg("top_p") = 1, py::arg("min_p") = 0, py::arg("repetition_penalty") = 1,
           py::arg("seed") = 1);
}

}  // namespace calque::python
