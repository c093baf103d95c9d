#pragma once
// Saves a run during training, in the background if the config says so. Each step is saved once. A
// failed save is tried once more; a second failure ends training.
//
//   saved --changed()--> unsaved --save()--> in progress --poll()--> saved
//                           ^                     |
//                           +------ failed -------+

#include <functional>
#include <string>
#include <vector>

#include "train/learner.h"
#include "train/metrics/metric_info.h"
#include "train/storage/checkpoint_writer.h"

namespace calque {

class CheckpointSaving {
 public:
  // `complain` receives the problems that do not end training.
  CheckpointSaving(Checkpoints& checkpoints, const TrainingConfig& training, Better better,
                   std::function<void(const std::string&)> complain);

  // The state was read from its checkpoint. Updates the links and removes old checkpoints, in case
  // the process that wrote it was stopped before.
  void resumed(const TrainingState& state);

  bool has_checkpoint() const { return saved_step_ >= 0; }
  void changed() { recorded_ = false; }
  // Whether there is anything to save. Waits for a save in progress, which may fail.
  bool is_due();

  // Whether saving this state includes the learner's tensors: not if they are saved, or being
  // saved.
  bool needs_tensors(const TrainingState& state) const { return saved_step_ != state.step; }
  // Saves the state and, if it needs them, the learner's tensors, of which the optimizer's have
  // been gathered. Throws the Error of the second failure in a row.
  void save(TrainingState& state, Learner& learner, const WholeState& optimizer);
  // Handles the result of a save that has ended.
  void poll();
  // Waits for the save in progress and throws its Error.
  void finish();
  // To be called before scores are compared: removes those of a failed save.
  void forget_failed_scores(TrainingState& state) const;

 private:
  void settle();

  Checkpoints& checkpoints_;
  const TrainingConfig training_;
  const Better better_;
  const std::function<void(const std::string&)> complain_;
  CheckpointWriter writer_;
  int64_t saved_step_ = -1;                         // its tensors are saved, or being saved
  bool recorded_ = false;                           // and so is its whole state
  bool failed_ = false;                             // the last save
  std::vector<Score> best_saved_, best_under_way_;  // of the last save that succeeded; of this one
};

}  // namespace calque
