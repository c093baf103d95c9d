#pragma once
// Confidence intervals and significance tests from random samples of a test set.
//
// The bootstrap (Koehn, "Statistical significance tests for machine translation evaluation", 2004)
// draws segments with replacement. Approximate randomization (Riezler and Maxwell, "On some
// pitfalls in automatic evaluation and significance testing for MT", 2005) swaps the outputs of two
// systems for random segments, and counts how often their scores then differ by more than the
// original ones.
//
// The results equal those that sacreBLEU prints for the same seed: samples are drawn with NumPy's
// generator, and the bootstrap adds statistics in single precision.

#include <cstdint>
#include <optional>
#include <string>

#include "train/metrics/score_text.h"
#include "train/metrics/translation/segment_statistics.h"

namespace calque {

struct Resampling {
  int samples = 1000;
  uint64_t seed = 12345;
};

enum class PairedTest { bootstrap, randomization };

// Returns the fields of a signature: bs:1000|seed:12345 for the bootstrap, ar:1000|seed:12345 for
// approximate randomization.
std::string resampling_fields(PairedTest test, const Resampling& resampling);

// Returns the 95% confidence interval of the score.
Confidence bootstrap(const SegmentStatistics& statistics, const ScoreOfSums& score,
                     const Resampling& resampling);

struct Comparison {
  double baseline = 0, system = 0;  // the scores
  // Empty after approximate randomization.
  std::optional<Confidence> baseline_confidence = {}, system_confidence = {};
  std::optional<Confidence> difference_confidence = {};  // of system - baseline
  double p_value = 1;  // under the null hypothesis that both systems are equally good
};

// Compares two systems on the same test set.
Comparison compare(const SegmentStatistics& baseline, const SegmentStatistics& system,
                   const ScoreOfSums& score, PairedTest test, const Resampling& resampling);

// Returns two lines: the baseline, and the system with the p-value and a * if it is below 0.05.
std::string comparison_text(const Comparison& comparison, std::string_view metric,
                            std::string_view baseline_name, std::string_view system_name,
                            int decimals);

}  // namespace calque
