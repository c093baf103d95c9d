#pragma once
// A trained run in use: its config, its task (model and tokenizers) and the weights of one of its
// checkpoints.

#include <memory>
#include <string>

#include "train/config/config.h"
#include "train/storage/run_folder.h"
#include "train/task.h"

namespace calque {

// Where a run and one of its checkpoints lie, before anything of them is loaded.
struct RunPlace {
  RunFolder folder;
  Config config;
  std::string place;           // as it was given, without a slash at its end
  bool is_checkpoint = false;  // one checkpoint is meant, not the run's best
};

// `place` is a run, whose best checkpoint is used, or its last if it has no best; or the folder of
// one checkpoint inside a run. Throws Error for anything else.
RunPlace find_run(const std::string& place);
// The same for a run that must be of this task.
RunPlace find_run(const std::string& place, TaskKind task);

struct LoadedWeights {
  std::string checkpoint;  // the folder that they are from
  int64_t step = 0;        // how far it was trained
};

// Fills the parameters. Without a link RUN/best, the best is the one that the newest state
// remembers. Throws Error if the checkpoint is damaged, or was trained with other tokenizers.
LoadedWeights load_weights(const RunPlace& run, Parameters& parameters,
                           const std::string& tokenizer_hash);

struct TrainedRun {
  RunPlace place;
  std::unique_ptr<Task> task;
  LoadedWeights weights;
};
TrainedRun open_run(const std::string& place, const MakeTask& make_task);

// A run's config without its weights.
Config run_config(const RunFolder& run);

}  // namespace calque
