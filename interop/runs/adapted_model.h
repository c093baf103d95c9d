#pragma once
// A model with adapters outside training: the adapters as a checkpoint has them, over a base whose
// weights nobody reads.

#include <string>

#include "train/storage/checkpoints.h"
#include "train/tasks/task_model.h"
#include "train/weights/parameter_tensors.h"

namespace calque {

template <class Model>
class AdaptedModel {
 public:
  using Options = typename TaskModel<Model>::Options;

  AdaptedModel(const Options& plain, const AdapterOptions& adapter)
      : network_(with_adapter(plain, adapter)) {}

  // Fills the adapters from a checkpoint's folder.
  void load(const std::string& checkpoint) const {
    load_checkpoint(real_files(), checkpoint, parameter_slots(network_.parameters), {});
  }
  const Model& model() const { return network_.model; }
  const Parameters& adapters() const { return network_.parameters; }

 private:
  static Options with_adapter(Options options, const AdapterOptions& adapter) {
    layers_of(options)->adapter = adapter;
    return options;
  }

  const TaskModel<Model> network_;
};

}  // namespace calque
