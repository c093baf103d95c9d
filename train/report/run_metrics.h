#pragma once
// The curves of a run, read from its metrics.jsonl. An unfinished last line, unknown kinds, missing
// fields and values that are not finite are ignored. Other lines that are not records cause a
// remark. A file that is missing, or has no training or validation record, is an Error.

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "train/metrics/metric_info.h"
#include "train/report/records.h"
#include "train/report/run_config.h"

namespace calque {

// The records of one kind as columns of equal length, ordered by step. A missing or infinite value
// is NaN. `tokens` and `seconds` count from the start of training. A missing epoch, tokens or
// seconds is interpolated from the training records. Without these, `seconds` of a validation
// record is its duration.
struct MetricsTable {
  std::vector<double> step;
  std::vector<double> epoch;
  std::vector<double> tokens;
  std::vector<double> seconds;
  std::map<std::string, std::vector<double>> columns;

  size_t rows() const { return step.size(); }
  // The column, or null if no record has a finite value of that name.
  const std::vector<double>* find(const std::string& name) const;
};

struct SamplesAtStep {
  double step = 0;
  std::vector<Sample> samples;
};

struct RunEvent {
  double step = 0;
  std::string text;
  std::string fault = {};  // of a finding (train/report/diagnosis.h)
};

struct ReportRun {
  std::string name;
  std::filesystem::path path;       // the argument of read_run()
  FlatConfig config;                // empty without a readable config.yaml
  std::vector<MetricInfo> metrics;  // of the run's task
  MetricsTable train;
  MetricsTable valid;
  std::vector<SamplesAtStep> samples;
  std::vector<ResultTable> tables;      // of the last validation
  std::vector<Prediction> predictions;  // after the last validation
  std::vector<RunEvent> events;
  std::vector<std::string> remarks;  // problems in reading, one line each
};

// `run` is a run folder or a metrics.jsonl file; config.yaml is read from the same folder.
// `metrics` describe the columns.
ReportRun read_run(const std::filesystem::path& run, std::span<const MetricInfo> metrics);

// Reads several runs and gives them different names.
std::vector<ReportRun> read_runs(std::span<const std::filesystem::path> runs,
                                 std::span<const MetricInfo> metrics);

}  // namespace calque
