#pragma once
// Stops training that has failed: the loss was far above its running mean for many steps, or too
// many steps in a row were skipped. Its own state is part of the training state.

#include "train/config/config.h"
#include "train/storage/training_state.h"

namespace calque {

class DivergenceGuard {
 public:
  DivergenceGuard(const TrainingConfig& training, Divergence& memory)
      : training_(training), memory_(memory) {}

  // To be called after an update, with the mean loss of its step. Throws an Error when the loss has
  // been above divergence_factor times its running mean for divergence_steps steps in a row.
  void observe(double loss);

  // To be called after a skipped step. Throws an Error after max_bad_steps skipped steps in a row.
  // `diagnosis` describes what was not finite, for the message.
  void skipped(int64_t step, const std::string& diagnosis);

  // To be called when the training data changes: earlier losses do not predict later ones.
  void data_changed();

 private:
  const TrainingConfig& training_;
  Divergence& memory_;
};

}  // namespace calque
