#pragma once
// The part of the module that binds runs: what the commands of calque compute. Each function is in
// the file of its name.

#include <pybind11/pybind11.h>

namespace calque::python {

void bind_sampling(pybind11::module_& module);
void bind_translation(pybind11::module_& module);
void bind_language_model(pybind11::module_& module);
void bind_classes(pybind11::module_& module);
void bind_encoders(pybind11::module_& module);
void bind_conversion(pybind11::module_& module);
void bind_training(pybind11::module_& module);
void bind_reading(pybind11::module_& module);
void bind_serving(pybind11::module_& module);

inline void bind_runs(pybind11::module_& module) {
  for (const auto bind :
       {bind_sampling, bind_translation, bind_language_model, bind_classes, bind_encoders,
        bind_conversion, bind_training, bind_reading, bind_serving}) {
    bind(module);
  }
}

}  // namespace calque::python
