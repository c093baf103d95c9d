#pragma once
// The common part of the commands bleu, chrf and ter: they take the same files, print the same
// kinds of output, and compute each output from the rows of SegmentStatistics.

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "train/metrics/metric.h"
#include "train/metrics/resampling/resampling.h"

namespace calque {

struct MetricArguments {
  std::string hypotheses;
  std::vector<std::string> references;
  bool each_line = false;
  bool confidence = false;
  std::string baseline;  // the file of another system's translations
  PairedTest test = PairedTest::bootstrap;
  int samples = 0;               // 0: 1000, or 10000 for approximate randomization
  std::optional<uint64_t> seed;  // default: 12345
  int decimals = 1;
  bool score_only = false;
};

void add_metric_options(CLI::App* command, MetricArguments& arguments);

// Reads the files and prints the scores.
void print_scores(const Metric& metric, const MetricArguments& arguments);

}  // namespace calque
