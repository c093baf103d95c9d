#pragma once
// A random sample of a sequence, in one pass.

#include <algorithm>
#include <cstdint>

#include "core/random.h"

namespace calque {

// Selection sampling (Knuth): call take_next() once for each of `all` items, in order. It selects
// `wanted` of them, each set of that size with the same probability.
class Selection {
 public:
  Selection(int64_t all, int64_t wanted, uint64_t seed)
      : left_(all), wanted_(std::min(all, wanted)), random_({.seed = seed, .use = sampling_use}) {}

  bool take_next() {
    const bool take = static_cast<int64_t>(random_.below(static_cast<uint64_t>(left_--))) < wanted_;
    if (take) --wanted_;
    return take;
  }

 private:
  static constexpr uint32_t sampling_use = 0x7e47;

  int64_t left_, wanted_;
  Random random_;
};

}  // namespace calque
