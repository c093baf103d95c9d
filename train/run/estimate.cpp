#include "train/run/estimate.h"

#include <algorithm>

#include "core/median.h"
#include "core/stopwatch.h"

namespace calque {
UpdateCost measured_update(const TrainingConfig& training, Learner& learner, WorkStream& stream) {
  constexpr int most_steps = 6;
  constexpr double enough_seconds = 10;
  std::vector<double> seconds, flops, terms;
  double spent = 0;
  for (int step = 0; step < most_steps && (step < 2 || spent < enough_seconds); ++step) {
    Works works;
    for (int64_t i = 0; i < training.batches_of_step(); ++i) works.push_back(stream.next());
    const Stopwatch watch;
    const StepOutcome outcome = learner.step(works, step, 0);
    const double taken = watch.seconds();
    spent += taken;
    if (step == 0) continue;
    seconds.push_back(taken);
    flops.push_back(outcome.flops);
    terms.push_back(static_cast<double>(outcome.sums.terms));
  }
  return {median(seconds), median(flops), median(terms)};
}

double updates_in(const EpochSize& epoch, const TrainingConfig& training) {
  const auto batches = static_cast<double>(training.batches_of_step());
  return std::max(1.0, static_cast<double>(epoch.works) / batches);
}

double updates_of(double epochs, const std::vector<EpochSize>& sizes,
                  const TrainingConfig& training) {
  double updates = 0;
  for (size_t i = 0; i < sizes.size(); ++i) {
    const auto begin = static_cast<double>(sizes[i].epoch);
    const bool last = i + 1 == sizes.size();
    const double end = last ? epochs : std::min(epochs, static_cast<double>(sizes[i + 1].epoch));
    updates += std::max(0.0, end - begin) * updates_in(sizes[i], training);
  }
  return updates;
}

double updates_until(const TrainingConfig& training, const std::vector<EpochSize>& sizes,
                     const UpdateCost& cost) {
  const Until& until = training.until;
  double updates = 0;
  const auto consider = [&](double limit) {
    if (limit > 0 && (updates == 0 || limit < updates)) updates = limit;
  };
  consider(static_cast<double>(until.updates));
  consider(updates_of(until.epochs, sizes, training));
  consider(static_cast<double>(until.tokens) / cost.terms);
  return updates;
}

double expected_updates(const TrainingConfig& training, const std::vector<EpochSize>& sizes,
                        const UpdateCost& cost) {
  const double updates = updates_until(training, sizes, cost);
  if (training.until.seconds <= 0) return updates;
  const double in_time = training.until.seconds / cost.seconds;
  return updates > 0 ? std::min(updates, in_time) : in_time;
}

}  // namespace calque
