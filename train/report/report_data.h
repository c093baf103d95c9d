#pragma once
// Everything the report page draws, as one JSON text that is safe inside a script element.

#include <span>
#include <string>

#include "train/report/run_metrics.h"

namespace calque {

// Tables of more rows than this are thinned, keeping the extremes of every column.
inline constexpr size_t most_rows_in_page = 100'000;

std::string report_data(std::span<const ReportRun> runs, size_t most_rows = most_rows_in_page);

}  // namespace calque
