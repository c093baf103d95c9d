#include "train/weights/checkpoint_saving.h"

#include <utility>

#include "core/error.h"
#include "train/weights/best_checkpoints.h"
#include "train/weights/parameter_tensors.h"

namespace calque {

CheckpointSaving::CheckpointSaving(Checkpoints& checkpoints, const TrainingConfig& training,
                                   Better better, std::function<void(const std::string&)> complain)
    : checkpoints_(checkpoints),
      training_(training),
      better_(better),
      complain_(std::move(complain)),
      writer_(checkpoints) {}

void CheckpointSaving::resumed(const TrainingState& state) {
  best_under_way_ = best_scores(training_, state);
  saved_step_ = state.step;
  recorded_ = true;
  writer_.tidy(checkpoint_job(state, training_));
  finish();
}

void CheckpointSaving::finish() {
  writer_.finish();
  best_saved_ = best_under_way_;
  for (const std::string& problem : writer_.take_complaints()) complain_(problem);
}

void CheckpointSaving::settle() {
  try {
    finish();
  } catch (const Error& error) {
    complain_(error.what());
    failed_ = true;
    best_under_way_ = best_saved_;
    saved_step_ = -1;
    recorded_ = false;
  }
}

void CheckpointSaving::poll() {
  if (writer_.ended()) settle();
}

bool CheckpointSaving::is_due() {
  settle();
  return !recorded_;
}

void CheckpointSaving::forget_failed_scores(TrainingState& state) const {
  if (failed_) restore_saved_scores(best_saved_, checkpoints_.steps(), better_, training_, state);
}

void CheckpointSaving::save(TrainingState& state, Learner& learner, const WholeState& optimizer) {
  forget_failed_scores(state);
  best_under_way_ = best_scores(training_, state);
  CheckpointJob job = checkpoint_job(state, training_);
  if (!needs_tensors(state)) {
    writer_.save_state(std::move(job));
  } else {
    const auto averaged = learner.averaged_weights();
    writer_.save(parameter_tensors(learner.parameters()), optimizer.tensors(), std::move(job));
  }
  saved_step_ = state.step;
  recorded_ = true;
  if (failed_ || !training_.save_in_background) finish();
  failed_ = false;
}

}  // namespace calque
