#include "train/run/milestones.h"

#include <algorithm>

namespace calque {

bool is_due(const Interval& interval, const Elapsed& before, const Elapsed& now) {
  const auto passed = [](int64_t every, int64_t from, int64_t to) {
    return every > 0 && to / every > from / every;
  };
  return passed(interval.updates, before.updates, now.updates) ||
         passed(interval.epochs, before.epochs, now.epochs);
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

bool out_of_patience(const TrainingConfig& training, const TrainingState& state) {
  return training.patience > 0 && state.early_stopping.without_gain >= training.patience;
}

}  // namespace calque
