#pragma once
// A task's model with memory for its parameters, ready to be trained or loaded.

#include <type_traits>

#include "core/parameters.h"

namespace calque {

template <class Model>
struct TaskModel {
  using Options = std::remove_cvref_t<decltype(Model::options)>;

  explicit TaskModel(const Options& options) : model(Path(parameters), options) {
    parameters.allocate();
  }
  TaskModel(const TaskModel&) = delete;
  TaskModel& operator=(const TaskModel&) = delete;

  Parameters parameters;  // declared before the model, whose constructor registers them
  Model model;
};

}  // namespace calque
