#pragma once
// What a profile of training shows: a table of the ops, each beside what the machine could do, and
// a trace to look at in chrome://tracing or ui.perfetto.dev.

#include <string>

#include "core/blas.h"
#include "core/profile.h"

namespace calque {

// At its best, a second.
struct MachineLimits {
  double flops, bytes;
};
MachineLimits machine_limits(Precision precision = Precision::full);  // measured

// Each op's time in a step, and its share of the limit: the time that its FLOPs or its bytes would
// take at the machine's best rate, whichever is longer, in relation to the time that it took. An op
// that finds its numbers in the cache can be faster than memory allows. Empty without any step.
std::string profile_table(const Profile& profile, const MachineLimits& limits);

// The events as JSON in Chrome's trace format: phases in one row, ops in another.
std::string chrome_trace(const Profile& profile);

}  // namespace calque
