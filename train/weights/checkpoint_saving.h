#pragma once
// Saves a run during training, in the background with training.save_in_background. The tensors of
// each step are saved once. A failed save is tried once more; a second failure ends training.
//
//   saved --changed()--> unsaved --save()--> in progress --poll()--> saved
//                           ^                     |
//                           +------ failed -------+

#include <functional>
#include <string>
#include <vector>

#include "train/metrics/metric_info.h"
#include "train/step/learner.h"
#include "train/storage/checkpoint_writer.h"

namespace calque {

class CheckpointSaving {
 public:
  // `complain` receives the problems that do not end training.
  CheckpointSaving(Checkpoints& checkpoints, const TrainingConfig& training, Better better,
                   std::function<void(const std::string&)> complain);

  // To be called after the state has been read from its checkpoint. Updates the links and removes
  // old checkpoints, which the process that wrote the checkpoint may not have done.
  void resumed(const TrainingState& state);

  bool has_checkpoint() const { return saved_step_ >= 0; }
  void changed() { recorded_ = false; }
  // Whether there is anything to save. Waits for a save in progress first: if it fails, there is.
  bool is_due();

  // Whether saving this state includes the learner's tensors. False if the tensors of its step are
  // saved already or being saved.
  bool needs_tensors(const TrainingState& state) const { return saved_step_ != state.step; }
  // Saves the state and, if needs_tensors(), the learner's tensors; `optimizer` must have been
  // gathered then. Throws the Error of the second failure in a row.
  void save(TrainingState& state, Learner& learner, const WholeState& optimizer);
  // Handles the result of a save that has ended.
  void poll();
  // Waits for the save in progress and throws its Error if it fails.
  void finish();
  // To be called before scores are compared: removes the scores of a failed save.
  void forget_failed_scores(TrainingState& state) const;

 private:
  void settle();

  Checkpoints& checkpoints_;
  const TrainingConfig training_;
  const Better better_;
  const std::function<void(const std::string&)> complain_;
  CheckpointWriter writer_;
  int64_t saved_step_ = -1;  // the step whose tensors are saved or being saved
  bool recorded_ = false;    // whether the current state is saved or being saved
  bool failed_ = false;      // whether the last save failed
  // The best scores at the last successful save, and at the save in progress.
  std::vector<Score> best_saved_, best_under_way_;
};

}  // namespace calque
