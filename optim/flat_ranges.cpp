#include "optim/flat_ranges.h"

#include <algorithm>

namespace calque {

int64_t size_of(const FlatRanges& ranges) {
  int64_t size = 0;
  for (const FlatRange& range : ranges) size += range.size();
  return size;
}

FlatRanges common(const FlatRanges& a, const FlatRanges& b) {
  FlatRanges both;
  for (auto one = a.begin(), other = b.begin(); one != a.end() && other != b.end();) {
    const FlatRange range{std::max(one->begin, other->begin), std::min(one->end, other->end)};
    if (range.begin < range.end) both.push_back(range);
    if (one->end < other->end) {
      ++one;
    } else {
      ++other;
    }
  }
  return both;
}

FlatRanges positions(const FlatRanges& part, const FlatRanges& all) {
  FlatRanges found;
  int64_t before = 0;
  for (const FlatRange& range : all) {
    for (const FlatRange& piece : common(part, {range})) {
      const int64_t shift = before - range.begin;
      found.push_back({piece.begin + shift, piece.end + shift});
    }
    before += range.size();
  }
  require(size_of(found) == size_of(part), "positions: a range lies outside of the others");
  return found;
}

}  // namespace calque
