#pragma once
// The duration of a call, and the median of several values.

#include <algorithm>
#include <vector>

#include "core/stopwatch.h"

namespace calque {

template <class Work>
double seconds_of(Work&& work) {
  const Stopwatch watch;
  work();
  return watch.seconds();
}

inline double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values.empty() ? 0 : values[values.size() / 2];
}

}  // namespace calque
