#pragma once
// The time since a point in a program: of the clock, or the CPU time of the calling thread or of
// the process, which other processes hardly affect.

#include <ctime>

namespace calque {

template <clockid_t clock>
class StopwatchOf {
 public:
  double seconds() const { return now() - start_; }

 private:
  static double now() {
    timespec time{};
    clock_gettime(clock, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  }

  double start_ = now();
};

using Stopwatch = StopwatchOf<CLOCK_MONOTONIC>;
using CpuStopwatch = StopwatchOf<CLOCK_THREAD_CPUTIME_ID>;
using ProcessStopwatch = StopwatchOf<CLOCK_PROCESS_CPUTIME_ID>;

}  // namespace calque
