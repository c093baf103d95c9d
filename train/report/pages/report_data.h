#pragma once
// The data of the report page as JSON that is safe in a script element.

#include <span>
#include <string>

#include "train/report/run_metrics.h"

namespace calque {

// Longer tables are thinned; the extremes of every column are kept.
inline constexpr size_t most_rows_in_page = 100'000;

std::string report_data(std::span<const ReportRun> runs, size_t most_rows = most_rows_in_page);

}  // namespace calque
