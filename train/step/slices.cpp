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
      3 * forward / (flops_per_parameter * static_cast<double>(parameters.flat_size()));
  const double limit = static_cast<double>(std::min(most_slices, whole.examples));
  return static_cast<int64_t>(
      std::bit_floor(static_cast<uint64_t>(std::clamp(worthwhile, 1.0, std::max(1.0, limit)))));
}

}  // namespace calque
