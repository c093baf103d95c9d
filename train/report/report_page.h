#pragma once
// report.html: one self-contained page with the curves of one or several runs. It needs no network
// and no server; every text in it is data, never markup.

#include <filesystem>
#include <span>
#include <string>

#include "train/report/run_metrics.h"

namespace calque {

std::string report_page(std::span<const ReportRun> runs);

// Writes RUN/report.html from RUN/metrics.jsonl, whole or not at all. Throws Error when the metrics
// cannot be read or the page cannot be written; a trainer reports that and goes on.
void write_report(const std::filesystem::path& run_folder, std::span<const MetricInfo> metrics);

}  // namespace calque
