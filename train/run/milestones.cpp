#include "train/run/milestones.h"

#include <algorithm>

namespace calque {

bool is_due(const Interval& interval, const TrainingState& state, int64_t epoch_before) {
  if (interval.updates > 0 && state.step % interval.updates == 0) return true;
  return interval.epochs > 0 && state.epoch / interval.epochs > epoch_before / interval.epochs;
}

double share_done(const Until& until, const TrainingState& state, double epochs) {
  double share = 0;
  const auto consider = [&](double done, double limit) {
    if (limit > 0) share = std::max(share, done / limit);
  };
  consider(static_cast<double>(state.optimizer_step), static_cast<double>(until.updates));
  consider(epochs, until.epochs);
  consider(static_cast<double>(state.tokens), static_cast<double>(until.tokens));
  consider(state.seconds_trained, until.seconds);
  const bool reached = !until.goal.metric.empty() && state.goal_reached == to_text(until.goal);
  return reached ? 1 : share;
}

}  // namespace calque
