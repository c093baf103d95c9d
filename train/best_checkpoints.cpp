#include "train/best_checkpoints.h"

#include <algorithm>

#include "train/config/values.h"
#include "train/validation.h"

namespace calque {

bool remember_best(double value, const TrainingConfig& training, TrainingState& state) {
  std::vector<Score>& best = state.best[write_value(training.metric)];
  const auto gains_on = [&](const Score& score) {
    return is_better(value, score.value, training.metric);
  };
  const bool gain = best.empty() || gains_on(best.front());
  ++state.early_stopping.validations;
  state.early_stopping.without_gain = gain ? 0 : state.early_stopping.without_gain + 1;
  const auto place = std::ranges::find_if(best, gains_on);
  const auto kept = static_cast<size_t>(std::max<int64_t>(1, training.keep_best));
  if (place == best.end() && best.size() >= kept) return false;
  best.insert(place, {value, state.step});
  if (best.size() > kept) best.pop_back();
  return true;
}

CheckpointJob checkpoint_job(const TrainingState& state, const TrainingConfig& training) {
  CheckpointJob job;
  job.state = state;
  job.keep_last = training.keep_last;
  const auto best = state.best.find(write_value(training.metric));
  if (best == state.best.end()) return job;
  for (const Score& score : best->second) job.keep_steps.push_back(score.step);
  if (!best->second.empty()) job.best = best->second.front().step;
  return job;
}

}  // namespace calque
