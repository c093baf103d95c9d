#include "train/step/divergence_guard.h"

#include <algorithm>

#include "core/error.h"

namespace calque {

void DivergenceGuard::observe(double loss) {
  Divergence& m = memory_;
  m.bad_steps = 0;
  const double factor = training_.divergence_factor;  // 0: off
  const bool above = factor > 0 && m.steps > 0 && loss > factor * m.mean;
  m.steps_above = above ? m.steps_above + 1 : 0;
  if (training_.divergence_steps > 0 && m.steps_above >= training_.divergence_steps) {
    fail(
        "training has diverged: the loss, {:.3g}, has been more than {} times its running mean, "
        "{:.3g}, for {} steps; lower training.learning_rate, warm up longer or set "
        "training.clip_norm",
        loss, factor, m.mean, m.steps_above);
  }
  if (above) return;  // the mean is over the other steps
  ++m.steps;
  const double rate = std::max(0.01, 1.0 / static_cast<double>(m.steps));
  m.mean += rate * (loss - m.mean);
}

void DivergenceGuard::data_changed() {
  memory_.mean = 0;
  memory_.steps = memory_.steps_above = 0;
}

void DivergenceGuard::skipped(int64_t step, const std::string& diagnosis) {
  Divergence& m = memory_;
  ++m.skipped_steps;
  ++m.bad_steps;
  if (m.bad_steps >= training_.max_bad_steps) {
    fail(
        "step {}: {}; {} steps in a row were skipped (training.max_bad_steps), so training stops; "
        "the "
        "last checkpoint is unchanged; lower training.learning_rate, warm up longer or set "
        "training.clip_norm",
        step, diagnosis, m.bad_steps);
  }
}

}  // namespace calque
