#pragma once
// What the commands bleu, chrf and ter have in common: the files, the kinds of output, and that
// every output is computed from the rows of SegmentStatistics.

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "train/metrics/resampling.h"
#include "train/metrics/segment_statistics.h"

namespace calque {

struct MetricArguments {
  std::string hypotheses;
  std::vector<std::string> references;
  bool each_line = false;
  bool confidence = false;
  std::string baseline;  // compare with the output of this system
  PairedTest test = PairedTest::bootstrap;
  int samples = 0;               // 0: 1000, or 10000 for approximate randomization
  std::optional<uint64_t> seed;  // 12345
  int decimals = 1;
  bool score_only = false;
};

// A metric with its options.
struct Metric {
  std::function<SegmentStatistics(Hypotheses, References)> statistics;
  ScoreOfSums score;
  // The line to print; `resampling` goes into the signature.
  std::function<std::string(std::span<const double> sums, size_t references,
                            const std::optional<Confidence>& confidence,
                            std::string_view resampling)>
      line;
};

// From the functions of a metric: of_sums(sums) returns its score with all details,
// signature(references, resampling) how it was computed.
template <class Statistics, class OfSums, class Signature>
Metric metric_of(Statistics statistics, OfSums of_sums, Signature signature, int decimals) {
  return {.statistics = statistics,
          .score = [=](auto sums) { return of_sums(sums).score; },
          .line =
              [=](auto sums, size_t references, const auto& confidence, auto resampling) {
                auto score = of_sums(sums);
                score.confidence = confidence;
                score.signature = signature(references, resampling);
                return score.text(decimals);
              }};
}

void add_metric_options(CLI::App* command, MetricArguments& arguments);

// Reads the files and prints the scores.
void print_scores(const Metric& metric, const MetricArguments& arguments);

}  // namespace calque
