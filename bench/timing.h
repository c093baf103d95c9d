#pragma once
// The duration of a call, and the median of several values.

#include "core/median.h"
#include "core/stopwatch.h"

namespace calque {

template <class Work>
double seconds_of(Work&& work) {
  const Stopwatch watch;
  work();
  return watch.seconds();
}

}  // namespace calque
