#pragma once
// Saving a run while it trains: in the background where the config says so, each step once, and
// with a second try after a save that failed. If that one fails too, training ends.
//
//   up to date --changed()--> to be saved --save()--> under way --poll()--> up to date
//                                  ^                      |
//                                  +------- failed -------+

#include <functional>
#include <string>
#include <vector>

#include "train/learner.h"
#include "train/metrics/metric_info.h"
#include "train/storage/checkpoint_writer.h"

namespace calque {

class CheckpointSaving {
 public:
  // `complain` receives what goes wrong and does not end training.
  CheckpointSaving(Checkpoints& checkpoints, const TrainingConfig& training, Better better,
                   std::function<void(const std::string&)> complain);

  // The state was read from its checkpoint: it is saved already. Updates the links and removes old
  // checkpoints, which the process that wrote it may not have reached.
  void resumed(const TrainingState& state);

  bool has_checkpoint() const { return saved_step_ >= 0; }
  // The state differs from the saved one from now on.
  void changed() { recorded_ = false; }
  // Whether save() has anything to do. Waits for a save under way, which may have failed.
  bool is_due();

  // Saves the state and, if its step has not been saved, the learner's tensors. Throws the Error of
  // a second failure in a row.
  void save(TrainingState& state, Learner& learner);
  // Learns how a save under way has ended, if it has.
  void poll();
  // Waits for the save under way and throws its Error.
  void finish();
  // Before scores are compared: those of a save that failed count no more.
  void forget_failed_scores(TrainingState& state) const;

 private:
  void settle();

  Checkpoints& checkpoints_;
  const TrainingConfig training_;
  const Better better_;
  const std::function<void(const std::string&)> complain_;
  CheckpointWriter writer_;
  int64_t saved_step_ = -1;                         // whose tensors are saved, or being saved
  bool recorded_ = false;                           // and the whole state of it
  bool failed_ = false;                             // the last save
  std::vector<Score> best_saved_, best_under_way_;  // of the last save that succeeded; of this one
};

}  // namespace calque
