#pragma once
// A run from where it stands to where it ends: steps, and around them the log, validation,
// checkpoints and the reasons to stop. All that the next step depends on is in TrainingState and
// the tensors, so a run that was killed anywhere goes on from its last checkpoint in the same bits.

#include <string>

#include "train/config/config.h"
#include "train/run_log.h"
#include "train/task.h"

namespace calque {

enum class Ending {
  finished,          // a limit of training.until was reached
  patience,          // training.patience ran out
  already_finished,  // there was nothing left to do
  no_patience_left,  // the same, because training.patience had run out
  interrupted,       // by a signal
};

struct TrainResult {
  Ending ending;
  int64_t step;
  int signal = 0;
};

// Trains in the folder, which is created or, if it holds a run, resumed. Throws Error; the last
// checkpoint is then what it was. `make_task` makes what is trained (train/tasks/registry.h).
TrainResult train(const Config& config, const RunFolder& run, Loudness loudness,
                  const MakeTask& make_task);

}  // namespace calque
