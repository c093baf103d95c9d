#pragma once
// Every training and validation record of the runs as a row of CSV (RFC 4180), neither smoothed nor
// thinned.

#include <span>
#include <string>

#include "train/report/run_metrics.h"

namespace calque {

// The columns are run, kind (train or valid), step, epoch, tokens, seconds, and the other numbers
// of all records. Missing values are empty.
std::string curves_csv(std::span<const ReportRun> runs);

}  // namespace calque
