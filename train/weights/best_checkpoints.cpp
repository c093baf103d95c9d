#include "train/weights/best_checkpoints.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace calque {
namespace {

size_t kept_best(const TrainingConfig& training) {
  return static_cast<size_t>(std::max<int64_t>(1, training.keep_best));
}

}  // namespace

std::vector<Score> best_scores(const TrainingConfig& training, const TrainingState& state) {
  const auto found = state.best.find(training.metric);
  return found != state.best.end() ? found->second : std::vector<Score>();
}

bool record_score(double value, Better better, const TrainingConfig& training,
                  TrainingState& state) {
  std::vector<Score>& best = state.best[training.metric];
  const auto gains_on = [&](const Score& score) { return is_better(value, score.value, better); };
  const bool gain = best.empty() || gains_on(best.front());
  ++state.early_stopping.validations;
  state.early_stopping.without_gain = gain ? 0 : state.early_stopping.without_gain + 1;
  const size_t kept = kept_best(training);
  if (best.size() > kept) best.resize(kept);
  const auto place = std::ranges::find_if(best, gains_on);
  if (place == best.end() && best.size() >= kept) return false;
  best.insert(place, {value, state.step});
  if (best.size() > kept) best.pop_back();
  return true;
}

void restore_saved_scores(const std::vector<Score>& saved, std::span<const int64_t> steps,
                          Better better, const TrainingConfig& training, TrainingState& state) {
  std::vector<Score> best = best_scores(training, state);
  std::erase_if(best, [&](const Score& score) {
    return score.step != state.step && std::ranges::count(steps, score.step) == 0;
  });
  std::ranges::copy_if(saved, std::back_inserter(best), [&](const Score& score) {
    return std::ranges::count(best, score.step, &Score::step) == 0;
  });
  std::ranges::stable_sort(
      best, [&](const Score& a, const Score& b) { return is_better(a.value, b.value, better); });
  if (best.size() > kept_best(training)) best.resize(kept_best(training));
  state.best[training.metric] = std::move(best);
}

CheckpointJob checkpoint_job(const TrainingState& state, const TrainingConfig& training) {
  CheckpointJob job;
  job.state = state;
  job.keep_last = training.keep_last;
  const auto keep = [&](const std::vector<Score>& scores) {
    const size_t kept = std::min(scores.size(), kept_best(training));
    for (size_t i = 0; i < kept; ++i) job.keep_steps.push_back(scores[i].step);
  };
  for (const auto& [metric, scores] : state.best) {
    keep(scores);
    if (metric == training.metric && !scores.empty()) job.best = scores.front().step;
  }
  for (const RetiredScores& retired : state.retired) keep(retired.scores);
  return job;
}

}  // namespace calque
