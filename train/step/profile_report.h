#pragma once
// Writes a profile of training as a table, which compares the ops with the machine's limits, and as
// a trace for chrome://tracing or ui.perfetto.dev.

#include <string>

#include "core/products/blas.h"
#include "core/profile.h"

namespace calque {

// The highest rates of this machine, per second.
struct MachineLimits {
  double flops, bytes;
};
// Measures the limits when they are first needed (train/step/machine_speed.h).
MachineLimits machine_limits(Precision precision = Precision::full);

// Returns a table with the time of each op in a step and its share of the limit. The share is the
// time that the op's FLOPs or its bytes need at the highest rate, whichever is longer, divided by
// the measured time. An op whose data is in the cache can exceed 100%. Empty if the profile has no
// step.
std::string profile_table(const Profile& profile, const MachineLimits& limits);

// Returns the events as JSON in Chrome's trace format: phases in one row, ops in another.
std::string chrome_trace(const Profile& profile);

}  // namespace calque
