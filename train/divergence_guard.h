#pragma once
// Notices that training has gone wrong for good: a loss far above its running mean for many steps,
// or too many steps in a row that were not finite. What it remembers is part of the training state.

#include "train/config/config.h"
#include "train/storage/training_state.h"

namespace calque {

class DivergenceGuard {
 public:
  DivergenceGuard(const TrainingConfig& training, Divergence& memory)
      : training_(training), memory_(memory) {}

  // After a step whose update was made, with its mean loss. Throws Error when the loss has been
  // above divergence_factor times its mean for divergence_steps steps.
  void saw(double loss);

  // After a step that was skipped. Throws Error after max_bad_steps of them; `diagnosis` says where
  // the first number that was not finite came from.
  void skipped(int64_t step, const std::string& diagnosis);

  // After the last step on some data, before others: losses so far say nothing about those to come.
  void data_changed();

 private:
  const TrainingConfig& training_;
  Divergence& memory_;
};

}  // namespace calque
