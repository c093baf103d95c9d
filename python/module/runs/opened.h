#pragma once
// What the classes of opened runs share: how a run is opened and described.

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "data/text/utf8.h"
#include "module/runs/computation.h"
#include "train/config/show.h"
#include "train/weights/trained_run.h"

namespace calque::python {

namespace py = pybind11;

// A run and its precision as Python names them.
inline RunPlace place_of(const std::string& run, const std::string& precision) {
  if (precision.empty()) return {run};
  const auto chosen = choice_named(inference_precisions, precision);
  if (!chosen) fail("precision: must be float32, bfloat16, int8, q8_0 or q4_0, not {}", precision);
  return {run, chosen};
}

// Of any run derived from OpenedRun.
template <class Run>
py::dict description_of(const Run& run) {
  py::dict about;
  about["run"] = run.folder.path;
  about["checkpoint"] = run.checkpoint;
  about["step"] = run.step;
  about["parameters"] = run.network->parameters.count();
  about["config"] = show_config(run.config);
  return about;
}

// The class of a run that open() opens, with the method about().
template <class Run>
py::class_<Run> bind_opened(py::module_& module, const char* name, Run (*open)(const RunPlace&)) {
  return py::class_<Run>(module, name)
      .def(py::init([open](const std::string& run, const std::string& precision) {
             return open(place_of(run, precision));
           }),
           py::arg("run"), py::arg("precision"), py::call_guard<py::gil_scoped_release>())
      .def("about", &description_of<Run>);
}

// The symbols of a tokenizer by id.
template <class Tokenizer>
std::vector<std::string> symbols_of(const Tokenizer& tokenizer) {
  std::vector<std::string> symbols;
  for (int32_t id = 0; id < tokenizer.size(); ++id) symbols.push_back(tokenizer.symbol(id));
  return symbols;
}

// Throws an Error that names the first text with a NUL or without UTF-8. (A Python string may hold
// half of a surrogate pair.)
inline void require_texts(const std::vector<std::string>& texts, const char* what) {
  for (size_t i = 0; i < texts.size(); ++i) {
    const std::string problem = utf8_problem(texts[i]);
    if (!problem.empty()) fail("{} {}: {}", what, i, problem);
  }
}

// A new NumPy array with the rows. (pybind11 2.10 reads the size of an element from NumPy 1's
// structs, unless the array is made from its shape alone.)
template <class Number>
py::array_t<Number> matrix(int64_t rows, int64_t columns, const std::vector<Number>& values) {
  py::array_t<Number> array({rows, columns});
  if (!values.empty())
    std::memcpy(array.mutable_data(), values.data(), values.size() * sizeof(Number));
  return array;
}

}  // namespace calque::python
