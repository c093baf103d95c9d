#include "train/step/slices.h"

#include <algorithm>
#include <bit>

#include "core/profile.h"

namespace calque {
namespace {

constexpr int64_t most_slices = 64;

// Adding the gradient of a slice reads and writes three numbers for each parameter. With this many
// FLOPs of the slice for each parameter, which for a Transformer are 512 tokens, it takes about 3%
// of the time.
constexpr double flops_per_parameter = 6 * 512;

// Frozen weights have no gradient. With fewer tokens, a product takes notably longer for each of
// them, because it copies the weights to panels.
constexpr double tokens_of_frozen_slice = 128;

double worthwhile_slices(const Work& largest, const Parameters& parameters) {
  const WorkSize whole = largest.size();
  if (parameters.all_frozen()) {
    return static_cast<double>(whole.tokens) / tokens_of_frozen_slice;
  }
  const auto sample = largest.split(most_slices);
  const WorkSize part = sample.front()->size();
  const double before = counted_flops();
  {
    const Tape tape;
    sample.front()->forward();
  }
  const double forward = (counted_flops() - before) * static_cast<double>(whole.tokens) /
                         static_cast<double>(std::max<int64_t>(1, part.tokens));
  return 3 * forward / (flops_per_parameter * static_cast<double>(parameters.count()));
}

}  // namespace

int64_t slices_for(const Work& largest, const Parameters& parameters) {
  const double limit = static_cast<double>(std::min(most_slices, largest.size().examples));
  const double count =
      std::clamp(worthwhile_slices(largest, parameters), 1.0, std::max(1.0, limit));
  return static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(count)));
}

int64_t slices_for(const Work& largest, Task& task) {
  return slices_for(largest, task.base() ? *task.base() : task.parameters());
}

}  // namespace calque
