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
                                     double learning_rate) {
  const std::span<real> weights = parameters_.values();
  const std::vector<real> before(weights.begin(), weights.end());
  const int64_t all = blocks_.parts * training_.outer_steps;
  const size_t count = works.size() / static_cast<size_t>(all);
  Part result;
  for (int64_t number = part; number < all && result.finite != 0; number += blocks_.parts) {
    parameters_.clear_gradients();
    const auto own = std::span(works).subspan(static_cast<size_t>(number) * count, count);
    const LossSums sums = run_part(own, number, step, Tape::Check::none);
    const auto terms = static_cast<double>(std::max<int64_t>(1, sums.terms));
    const Phase phase("update");
    Optimizer& local = locals_[static_cast<size_t>(part - first_part())];
    const bool finite =
        std::isfinite(sums.loss) && local.update(parameters_, learning_rate, 1 / terms).finite;
    if (!finite) local_problem_ = diagnose_local(own, number, step, sums);
    result.finite = finite ? 1 : 0;
    result.sums += sums;
  }
  replace_gradients(before);
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

// Sets the gradients to the old weights minus the current ones, and restores the old weights.
void Learner::replace_gradients(std::span<const real> before) {
  parameters_.clear_gradients();
  for (const Parameters::Entry& entry : parameters_.entries()) {
    if (entry.frozen()) continue;
    real* const difference = entry.tensor.gradient().open_cleared();
    const std::span<real> after = entry.values();
    const std::span<const real> old = before.subspan(static_cast<size_t>(entry.offset));
    for (size_t i = 0; i < after.size(); ++i) {
      difference[i] = old[i] - after[i];
      after[i] = old[i];
    }
  }
}

std::string Learner::diagnose_local(std::span<const std::unique_ptr<Work>> works, int64_t number,
                                    int64_t step, const LossSums& sums) {
  const Parameters::Entry* entry = first_not_finite(parameters_);
  try {
    if (training_.check_finite) run_part(works, number, step, Tape::Check::finite);
  } catch (const NotFinite& error) {
    return error.what();
  }
  if (entry) return fmt::format("the gradient of {} is not finite", entry->name);
  return std::isfinite(sums.loss) ? "the gradient is too large" : "the loss is not finite";
}

}  // namespace calque
