#pragma once
// The evaluation of a set of examples in their order, shared by the ranks.

#include <type_traits>
#include <vector>

#include "core/tape.h"
#include "train/tasks/example_works.h"
#include "train/tasks/shared_validation.h"

namespace calque {

// Returns evaluate(batch) for each batch of the share, and a default value for the other batches. A
// batch has consecutive examples and is as large as the limits allow, or has one example.
template <class Evaluate>
auto evaluate_in_order(const ExampleSet& set, BatchOptions limits, BatchShare& share,
                       Evaluate evaluate) {
  const NoGradient nothing_recorded;
  limits.shuffle = false;
  const BatchPlan plan(set.costs, {}, limits, 0);
  std::vector<std::invoke_result_t<Evaluate, const ExampleBatch&>> results;
  for (int64_t i = 0; i < plan.size(); ++i) {
    results.emplace_back();
    if (share.computes_next()) results.back() = evaluate(read_batch(set, plan.batch(i)));
  }
  return results;
}

}  // namespace calque
