#pragma once
// A task's model with memory for its parameters, ready to be trained or loaded.

#include <type_traits>

#include "core/parameters.h"
#include "core/precision.h"
#include "nn/options.h"

namespace calque {

// The options of the layers of a model; nullptr for a model without layers.
template <class Options>
auto* layers_of(Options& options) {
  if constexpr (requires { options.layer; }) {
    return &options.layer;
  } else if constexpr (requires { options.encoder; }) {
    return layers_of(options.encoder);
  } else if constexpr (requires { options.model; }) {
    return &options.model;
  } else {
    return static_cast<const LayerOptions*>(nullptr);
  }
}

template <class Options>
bool is_adapted(const Options& options) {
  const auto* layers = layers_of(options);
  return layers && layers->adapter;
}

template <class Options>
Precision base_form(const Options& options) {
  const auto* layers = layers_of(options);
  return layers ? layers->adapter.base : Precision::full;
}

template <class Model>
struct TaskModel {
  using Options = std::remove_cvref_t<decltype(Model::options)>;

  // The parameters are in the form `form` (Parameters::allocate), the base in that of the adapter.
  explicit TaskModel(const Options& options, Precision form = Precision::full)
      : model(is_adapted(options) ? Path(base, parameters) : Path(parameters), options) {
    base.allocate(base_form(options));
    base.freeze_all();
    parameters.allocate(form);
  }
  TaskModel(const TaskModel&) = delete;
  TaskModel& operator=(const TaskModel&) = delete;

  // Declared before the model, whose constructor registers them.
  Parameters base;        // of a model with adapters, its frozen weights; else empty
  Parameters parameters;  // trained
  Model model;
};

}  // namespace calque
