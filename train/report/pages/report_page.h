#pragma once
// report.html: a self-contained page with the curves of one or several runs, which needs no network
// and no server. Every text in it is data, never markup.

#include <filesystem>
#include <span>
#include <string>

#include "train/report/run_metrics.h"

namespace calque {

std::string report_page(std::span<const ReportRun> runs);

// Writes RUN/report.html from RUN/metrics.jsonl, completely or not at all. Throws an Error if the
// metrics cannot be read or the page cannot be written.
void write_report(const std::filesystem::path& run_folder, std::span<const MetricInfo> metrics);

}  // namespace calque
