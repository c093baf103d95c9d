#pragma once
// A profile of training as a table of ops, compared with the machine's limits, and as a trace for
// chrome://tracing or ui.perfetto.dev.

#include <string>

#include "core/blas.h"
#include "core/profile.h"

namespace calque {

// The highest rates, per second.
struct MachineLimits {
  double flops, bytes;
};
MachineLimits machine_limits(Precision precision = Precision::full);  // measured

// Each op's time in a step, and its share of the limit: the time that its FLOPs or its bytes need
// at the machine's best rate, whichever is longer, divided by the time it took. An op whose data is
// in the cache can exceed 100%. Empty if the profile has no step.
std::string profile_table(const Profile& profile, const MachineLimits& limits);

// The events as JSON in Chrome's trace format: phases in one row, ops in another.
std::string chrome_trace(const Profile& profile);

}  // namespace calque
