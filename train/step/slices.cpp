#include "train/step/slices.h"

#include <algorithm>
#include <bit>

#include "core/profile.h"

namespace calque {
namespace {

constexpr int64_t most_slices = 64;

// Adding the gradient of a slice reads and writes three numbers for each parameter. With this many
// products of the forward pass for each parameter, which for a Transformer are so many tokens, it
// takes about 3% of the time.
constexpr double worthwhile_tokens = 512;
// Frozen weights have no gradient. Copying them to panels takes about as much with fewer tokens.
constexpr double worthwhile_frozen_tokens = 128;

bool is_frozen(const Parameters& parameters) {
  return std::ranges::all_of(parameters.entries(), &Parameters::Entry::frozen);
}

}  // namespace

int64_t slices_for(const Work& largest, const Parameters& parameters) {
  const auto sample = largest.split(most_slices);
  const WorkSize whole = largest.size(), part = sample.front()->size();
  const double before = counted_flops();
  {
    const Tape tape;
    sample.front()->forward();
  }
  const double forward = (counted_flops() - before) * static_cast<double>(whole.tokens) /
                         static_cast<double>(std::max<int64_t>(1, part.tokens));
  const double worthwhile =
      forward / (2 * static_cast<double>(parameters.count()) *
                 (is_frozen(parameters) ? worthwhile_frozen_tokens : worthwhile_tokens));
  const double limit = static_cast<double>(std::min(most_slices, whole.examples));
  return static_cast<int64_t>(
      std::bit_floor(static_cast<uint64_t>(std::clamp(worthwhile, 1.0, std::max(1.0, limit)))));
}

int64_t slices_for(const Work& largest, Task& task) {
  return slices_for(largest, task.base() ? *task.base() : task.parameters());
}

}  // namespace calque
