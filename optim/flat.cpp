#include "optim/flat.h"

#include <algorithm>

#include "core/simd/vector.h"

namespace calque {
namespace {

constexpr int64_t slice_size = 1 << 15;  // numbers that one task of a loop over slices updates

void check(const Parameters& parameters, const FlatRange& range) {
  const int64_t size = parameters.flat_size();
  require(range.begin % cache_line == 0 && range.end % cache_line == 0,
          "flat_slices: {} to {} are not whole cache lines", range.begin, range.end);
  require(0 <= range.begin && range.begin <= range.end && range.end <= size,
          "flat_slices: {} to {} is not a range of the {} numbers of the parameters", range.begin,
          range.end, size);
}

// The state of the range begins at `state`.
void append_slices(const Parameters& parameters, const WeightDecay& decay, const FlatRange& range,
                   int64_t state, std::vector<FlatSlice>& slices) {
  const auto& entries = parameters.entries();
  for (size_t i = 0; i < entries.size(); ++i) {
    if (entries[i].frozen()) continue;
    const double rate = is_decayed(entries[i], decay.what) ? decay.rate : 0;
    const int64_t begin = entries[i].offset;
    const int64_t end = i + 1 < entries.size() ? entries[i + 1].offset : parameters.flat_size();
    require(begin % lanes == 0 && end % lanes == 0,
            "flat_slices: {} does not begin and end on a whole vector", entries[i].name);
    const int64_t last = std::min(end, range.end);
    for (int64_t at = std::max(begin, range.begin); at < last; at += slice_size) {
      slices.push_back({.begin = at,
                        .size = std::min(slice_size, last - at),
                        .state = state + at - range.begin,
                        .parameter = i,
                        .offset = at - begin,
                        .decay = rate});
    }
  }
}

}  // namespace

bool is_decayed(const Parameters::Entry& entry, Decayed what) {
  if (what == Decayed::everything) return true;
  switch (entry.role) {
    case Role::weight:
    case Role::output:
      return true;
    case Role::embedding:
    case Role::position:
      return what == Decayed::matrices;
    case Role::bias:
    case Role::gain:
    case Role::output_bias:
      return false;
  }
  return false;
}

std::vector<FlatSlice> flat_slices(const Parameters& parameters, const WeightDecay& decay,
                                   const FlatRanges& ranges) {
  std::vector<FlatSlice> slices;
  int64_t state = 0;
  for (const FlatRange& range : ranges) {
    check(parameters, range);
    append_slices(parameters, decay, range, state, slices);
    state += range.size();
  }
  return slices;
}

}  // namespace calque
