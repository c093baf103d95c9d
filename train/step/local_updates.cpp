// The updates that a part makes by itself (training.outer_steps), from the common weights w to its
// own weights w_p. The difference w - w_p then takes the place of the part's gradient.
#include <algorithm>
#include <cmath>

#include "core/profile.h"
#include "optim/gradient_norm.h"
#include "train/step/learner.h"

namespace calque {

// The micro-batches of a step form groups of equal size. In its update h, part p of P uses group
// h P + p.
Learner::Part Learner::local_updates(const Works& works, int64_t part, int64_t step,
                                     double learning_rate, Buffer<real>& gradient) {
  const std::span<real> weights = parameters_.values();
  const std::vector<real> before(weights.begin(), weights.end());
  const int64_t all = blocks_.parts * training_.outer_steps;
  const size_t count = works.size() / static_cast<size_t>(all);
  Part result;
  for (int64_t number = part; number < all && result.finite != 0; number += blocks_.parts) {
    const auto own = std::span(works).subspan(static_cast<size_t>(number) * count, count);
    Part update = run_part(own, number, step, Tape::Check::none, gradient);
    const std::span<const real> sum = span_of(gradient);
    const auto terms = static_cast<double>(std::max<int64_t>(1, update.sums.terms));
    const Phase phase("update");
    Optimizer& local = locals_[static_cast<size_t>(part - first_part())];
    const double norm = std::sqrt(sum_of_squares(sum));
    const bool finite = std::isfinite(update.sums.loss) &&
                        local.update(parameters_, sum, norm, learning_rate, 1 / terms).finite;
    if (!finite) local_problem_ = diagnose_local(own, number, step, update.sums, sum);
    update.finite = finite ? 1 : 0;
    result += update;
  }
  gradient = return_to(before);
  return result;
}

// What a skipped step restores, as other parts may have made updates before one was not finite.
std::vector<std::vector<real>> Learner::state_of_locals() {
  std::vector<std::vector<real>> state;
  for (Optimizer& local : locals_) {
    for (const StateWindow& window : local.state()) {
      state.emplace_back(window.values.begin(), window.values.end());
    }
  }
  return state;
}

void Learner::restore_locals(const std::vector<std::vector<real>>& state) {
  auto next = state.begin();
  for (Optimizer& local : locals_) {
    for (const StateWindow& window : local.state()) {
      std::ranges::copy(*next++, window.values.begin());
    }
  }
}

// Restores the old weights and returns by how much they exceed the current ones.
Buffer<real> Learner::return_to(std::span<const real> before) {
  Buffer<real> difference = zeros(blocks_.size());
  const std::span<real> weights = parameters_.values();
  for (size_t i = 0; i < weights.size(); ++i) {
    difference[static_cast<int64_t>(i)] = before[i] - weights[i];
    weights[i] = before[i];
  }
  return difference;
}

std::string Learner::diagnose_local(std::span<const std::unique_ptr<Work>> works, int64_t number,
                                    int64_t step, const LossSums& sums,
                                    std::span<const real> gradient) {
  const Parameters::Entry* entry = parameter_at(parameters_, first_not_finite(gradient));
  try {
    Buffer<real> again;
    if (training_.check_finite) run_part(works, number, step, Tape::Check::finite, again);
  } catch (const NotFinite& error) {
    return error.what();
  }
  if (entry) return fmt::format("the gradient of {} is not finite", entry->name);
  return std::isfinite(sums.loss) ? "the gradient is too large" : "the loss is not finite";
}

}  // namespace calque
