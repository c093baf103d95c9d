#pragma once
// Every record of the runs as CSV (RFC 4180), one row each: nothing smoothed, nothing thinned.

#include <span>
#include <string>

#include "train/report/run_metrics.h"

namespace calque {

// Columns: run, kind (train or valid), step, epoch, tokens, seconds, and then every value that any
// record has. Empty where a record lacks it.
std::string curves_csv(std::span<const ReportRun> runs);

}  // namespace calque
