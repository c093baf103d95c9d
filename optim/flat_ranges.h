#pragma once
// Lists of ranges of the flat buffer of the parameters, in order and without overlap. With several
// ranks, such a list says what a rank updates, and for what it keeps state.

#include <cstdint>
#include <vector>

#include "core/parameters.h"

namespace calque {

struct FlatRange {
  int64_t begin = 0, end = 0;
  int64_t size() const { return end - begin; }
  auto operator<=>(const FlatRange&) const = default;
};
using FlatRanges = std::vector<FlatRange>;

inline FlatRanges whole_range(const Parameters& parameters) {
  return {{0, parameters.flat_size()}};
}
int64_t size_of(const FlatRanges& ranges);

// The numbers that are in both lists.
FlatRanges common(const FlatRanges& a, const FlatRanges& b);

// Where the numbers of `part` are if the numbers of `all` stand one after another. `part` must lie
// in `all`.
FlatRanges positions(const FlatRanges& part, const FlatRanges& all);

}  // namespace calque
