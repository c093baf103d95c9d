#pragma once
// Trains a run to its end: steps, the log, validation, checkpoints and limits. All that the next
// step depends on is in TrainingState and the tensors, so a run that was killed at any point
// continues from its last checkpoint with the same bits.

#include <functional>
#include <string>

#include "core/named.h"
#include "ranks/communicator.h"
#include "train/config/config.h"
#include "train/run/log.h"
#include "train/task.h"

namespace calque {

enum class Ending {
  finished,          // a limit of training.until was reached
  patience,          // training.patience ran out
  already_finished,  // at the start: a limit had been reached before
  no_patience_left,  // at the start: training.patience had run out before
  interrupted,       // by a signal
  stopped,           // by the observer
};

inline constexpr Named<Ending> endings[] = {{"finished", Ending::finished},
                                            {"patience", Ending::patience},
                                            {"already finished", Ending::already_finished},
                                            {"no patience left", Ending::no_patience_left},
                                            {"interrupted", Ending::interrupted},
                                            {"stopped", Ending::stopped}};

struct TrainResult {
  Ending ending;
  int64_t step;
  int signal = 0;
};

// Follows a run, on rank 0 and on the thread of train(). An absent function is not called. An
// exception of a function ends the run like an error.
struct RunObserver {
  RunObserver(Loudness how = Loudness::normal) : loudness(how) {}

  Loudness loudness;
  // Gets the lines that would otherwise be printed.
  std::function<void(const std::string& line)> line;
  // Called after each step and after each validation. If one returns false, training saves a
  // checkpoint and ends. The means of a step's record are over that step alone.
  std::function<bool(const TrainRecord&)> step;
  std::function<bool(const ValidRecord&)> validation;
};

// Creates the run's folder or, if it contains a run, resumes it. After an Error the last checkpoint
// is unchanged. `make_task` makes the task (train/tasks/registry.h). With several ranks, all of
// them call train(); only rank 0 writes the log and the checkpoints. The tensors of the checkpoints
// are the same as those of a run with a single rank.
TrainResult train(const Config& config, const RunFolder& run, const RunObserver& observer,
                  const MakeTask& make_task, Communicator& ranks = only_rank());

}  // namespace calque
