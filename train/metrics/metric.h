#pragma once
// A metric of translations with its options, as commands use it: statistics of the segments, the
// score of their sums, and the line to print.

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "train/metrics/metric_info.h"
#include "train/metrics/score_text.h"
#include "train/metrics/translation/bleu.h"
#include "train/metrics/translation/chrf.h"
#include "train/metrics/translation/segment_statistics.h"
#include "train/metrics/translation/ter.h"

namespace calque {

struct Metric {
  std::function<SegmentStatistics(Hypotheses, References)> statistics;
  ScoreOfSums score;
  // The line to print; `resampling` goes into the signature.
  std::function<std::string(std::span<const double> sums, size_t references,
                            const std::optional<Confidence>& confidence,
                            std::string_view resampling)>
      line;
  Better better = Better::higher;

  // Its name and signature, which precede the score: "chrF2|nrefs:1|...".
  std::string head(std::span<const double> sums, size_t references,
                   std::string_view resampling) const;
  // The name alone, from a head.
  static std::string name_of(const std::string& head) { return head.substr(0, head.find('|')); }
};

Metric bleu_metric(const BleuOptions& options, int decimals);
Metric chrf_metric(const ChrfOptions& options, int decimals);
Metric ter_metric(const TerOptions& options, int decimals);

}  // namespace calque
