#pragma once
// The common part of the commands bleu, chrf and ter: they take the same files, print the same
// kinds of output, and compute each output from the rows of SegmentStatistics.

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "train/metrics/resampling/resampling.h"
#include "train/metrics/translation/segment_statistics.h"

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

// Makes a Metric from three functions: statistics(hypotheses, references), of_sums(sums), which
// returns the score with all details, and signature(references, resampling), which returns the text
// that names the settings of the score.
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
