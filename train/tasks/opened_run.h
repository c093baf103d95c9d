#pragma once
// A trained run in use: its config and its model, with the weights of one of its checkpoints.

#include <memory>
#include <string>

#include "core/compact_weights.h"
#include "core/int8_weights.h"
#include "train/tasks/task_model.h"
#include "train/weights/trained_run.h"

namespace calque {

template <class Model>
struct OpenedRun {
  RunFolder folder;
  Config config;
  std::string checkpoint;     // the folder of the weights
  int64_t step = 0;           // of the checkpoint
  int64_t longest_input = 0;  // tokens of the longest one in training; 0: not known
  std::shared_ptr<TaskModel<Model>> network;

  const Model& model() const { return network->model; }
};

// Opens a run, a struct derived from OpenedRun. read(run) fills its other members from the run's
// folder, and returns the options of the model and the hash of the tokenizers. Throws an Error for
// a run of another task.
template <class Run, class Read>
Run open_run_of(TaskKind task, const RunPlace& place, Read read) {
  const RunLocation location = find_run(place.path, task);
  Run run;
  run.folder = location.folder;
  run.config = location.config;
  const auto [options, tokenizer_hash] = read(run);
  const Precision precision = precision_in_use(place, location);
  const bool below = is_compact(precision);
  // An adapter is merged, and a model without layers reads its tables, in full precision.
  const bool compact = below && !location.adapter && layers_of(options);
  run.network = std::make_shared<typename decltype(run.network)::element_type>(
      options, compact ? precision : Precision::full);
  const LoadedWeights loaded = load_weights(location, run.network->parameters, tokenizer_hash);
  run.checkpoint = loaded.checkpoint;
  run.step = loaded.step;
  run.longest_input = loaded.longest_input;
  if (precision == Precision::int8) round_weights_to_int8(run.network->parameters);
  if (below && !compact) {
    for (const Parameters::Entry& entry : run.network->parameters.entries()) {
      round_weight(entry, precision);
    }
  }
  return run;
}

}  // namespace calque
