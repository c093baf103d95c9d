#pragma once
// The curves of a run, read from its metrics.jsonl. Reading forgives what a live or a killed run
// leaves behind (a torn last line, unknown kinds, missing fields, values that are not finite); only
// a file that is not there or holds no record at all is an error.

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "train/metrics/metric_info.h"
#include "train/report/records.h"
#include "train/report/run_config.h"

namespace calque {

// The records of one kind as columns of equal length, in the order of their steps. A value that is
// absent or not finite is NaN. `tokens` and `seconds` count from the start of training; where a
// record lacks its epoch, tokens or seconds they are interpolated from the training records.
struct MetricsTable {
  std::vector<double> step;
  std::vector<double> epoch;
  std::vector<double> tokens;
  std::vector<double> seconds;
  std::map<std::string, std::vector<double>> columns;

  size_t rows() const { return step.size(); }
  // The column, or null when no record has a finite value of that name.
  const std::vector<double>* find(const std::string& name) const;
};

struct SamplesAtStep {
  double step = 0;
  std::vector<Sample> samples;
};

struct RunEvent {
  double step = 0;
  std::string text;
};

struct ReportRun {
  std::string name;
  std::filesystem::path path;       // as it was given
  FlatConfig config;                // empty when there is none
  std::vector<MetricInfo> metrics;  // that its task may have, as far as the caller knows
  MetricsTable train;
  MetricsTable valid;
  std::vector<SamplesAtStep> samples;
  std::vector<RunEvent> events;
  std::vector<std::string> remarks;  // what could not be read, one line each
};

// `run` is a run folder or a metrics.jsonl file; config.yaml is looked for beside it. The metrics
// say how its columns are called and drawn.
ReportRun read_run(const std::filesystem::path& run, std::span<const MetricInfo> metrics);

// Several runs, with names made long enough to tell them apart.
std::vector<ReportRun> read_runs(std::span<const std::filesystem::path> runs,
                                 std::span<const MetricInfo> metrics);

}  // namespace calque
