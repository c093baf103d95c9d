#pragma once
// A trained run in use: its config, its task (model and tokenizers) and the weights of one of its
// checkpoints.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "train/config/config.h"
#include "train/storage/checkpoints.h"
#include "train/storage/run_folder.h"
#include "train/task.h"

namespace calque {

// Where a run is, and how to use its weights.
struct RunPlace {
  RunPlace() = default;
  RunPlace(std::string run, std::optional<Precision> how = {})
      : path(std::move(run)), precision(how) {}
  RunPlace(const char* run) : path(run) {}

  std::string path;  // of a run, or of one of its checkpoints
  // By default that in which the weights are stored, unless it is float32, and decoding.precision
  // for others.
  std::optional<Precision> precision;
};

std::vector<RunPlace> places(const std::vector<std::string>& paths,
                             std::optional<Precision> precision);

// A run, or one of its checkpoints, before its weights are loaded.
struct RunLocation {
  RunFolder folder;
  Config config;           // without model.adapter
  AdapterOptions adapter;  // if there is one, checkpoints hold it alone (train/weights/adapter.h)
  std::string path;        // the given path without trailing slashes
  bool is_checkpoint = false;  // `path` is one checkpoint, not a run
};

// `path` is a run, whose best checkpoint is used (the last one if there is no best), or the folder
// of one checkpoint inside a run. Throws an Error for anything else.
RunLocation find_run(const std::string& path);
// The same, but throws an Error if the run is of another task.
RunLocation find_run(const std::string& path, TaskKind task);

// The folder of the best checkpoint: RUN/best or, without this link, the best by the newest state.
// Empty if there is none, or if it is the newest one. Throws an Error if the link leads nowhere.
std::string best_checkpoint(const RunFolder& run);

struct LoadedWeights {
  std::string checkpoint;  // its folder
  int64_t step = 0;
  int64_t longest_input = 0;  // TrainingState::longest_input
  bool int8 = false;          // they were stored in int8
};

// Fills the parameters. Throws an Error if the checkpoint is damaged, or was trained with other
// tokenizers.
LoadedWeights load_weights(const RunLocation& run, Parameters& parameters,
                           const std::string& tokenizer_hash);

// The precision of the weights in use. Throws an Error if the run has no checkpoint.
Precision precision_in_use(const RunPlace& place, const RunLocation& run);

struct TrainedRun {
  RunLocation location;
  std::unique_ptr<Task> task;
  LoadedWeights weights;
};
TrainedRun open_run(const std::string& path, const MakeTask& make_task);
TrainedRun open_run(RunLocation location, const MakeTask& make_task);

// Loads the config in a run's folder.
Config run_config(const RunFolder& run);

}  // namespace calque
