#pragma once
// A micro-batch of sentence pairs, for tests that train a translator without a run.

#include <memory>
#include <numeric>
#include <vector>

#include "train/tasks/translation/training.h"

namespace calque::tests {

inline std::unique_ptr<Work> pair_work(Translator model, const TrainingConfig& training,
                                       std::vector<Example> pairs) {
  std::vector<int64_t> numbers(pairs.size());
  std::iota(numbers.begin(), numbers.end(), 0);
  return std::make_unique<ExampleWork>(
      std::make_shared<const ExampleTraining>(pair_training(model, training, {})),
      ExampleBatch{std::move(pairs), std::move(numbers)});
}

}  // namespace calque::tests
