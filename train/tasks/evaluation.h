#pragma once
// The evaluation of a set of examples in their order, shared by the ranks and by the threads.

#include <algorithm>
#include <iterator>
#include <type_traits>
#include <vector>

#include "core/tape.h"
#include "core/threads/parallel.h"
#include "nn/layers/expert_load.h"
#include "train/tasks/example_works.h"
#include "train/tasks/shared_validation.h"

namespace calque {

// Returns evaluate(batch) for each of the batches, without gradients. Threads call it side by side,
// or a group of threads for each batch if there are fewer batches. The tokens of experts are
// counted as if all calls were on this thread.
template <class Evaluate>
auto evaluate_side_by_side(const std::vector<ExampleBatch>& batches, const Evaluate& evaluate) {
  std::vector<std::invoke_result_t<Evaluate, const ExampleBatch&>> results(batches.size());
  std::vector<ExpertLoad::Layers> loads(batches.size());
  for_groups(std::ssize(batches), [&](int64_t number) {
    const NoGradient nothing_recorded;
    const ExpertLoad load;
    results[number] = evaluate(batches[number]);
    loads[number] = load.layers();
  });
  for (const ExpertLoad::Layers& layers : loads) {
    for (const auto& [layer, counts] : layers) ExpertLoad::add(layer, counts);
  }
  return results;
}

// Returns evaluate(batch) for each batch of the share, and a default value for the other batches. A
// batch has consecutive examples and is as large as the limits allow, or has one example. As many
// batches as there are threads are evaluated side by side; then the evaluation can be stopped.
template <class Evaluate>
auto evaluate_in_order(const ExampleSet& set, BatchOptions limits, BatchShare& share,
                       const Evaluate& evaluate) {
  limits.shuffle = false;
  const BatchPlan plan(set.costs, {}, limits, 0);
  std::vector<std::invoke_result_t<Evaluate, const ExampleBatch&>> results(
      static_cast<size_t>(plan.size()));
  for (int64_t next = 0; next < plan.size();) {
    std::vector<ExampleBatch> batches;
    std::vector<int64_t> numbers;
    for (; next < plan.size() && std::ssize(batches) < threads(); ++next) {
      if (!share.computes_next()) continue;
      batches.push_back(read_batch(set, plan.batch(next)));
      numbers.push_back(next);
    }
    auto found = evaluate_side_by_side(batches, evaluate);
    for (size_t i = 0; i < found.size(); ++i) results[numbers[i]] = std::move(found[i]);
  }
  return results;
}

// The items of all batches, one after another.
template <class Item>
std::vector<Item> joined_batches(std::vector<std::vector<Item>> batches) {
  std::vector<Item> all;
  for (std::vector<Item>& batch : batches) {
    std::ranges::move(batch, std::back_inserter(all));
  }
  return all;
}

}  // namespace calque
