#pragma once
// Significance: scores of many random test sets drawn from the given one.
//
// The bootstrap (Koehn, "Statistical significance tests for machine translation evaluation", 2004)
// draws segments with replacement. Approximate randomization (Riezler and Maxwell, "On some
// pitfalls in automatic evaluation and significance testing for MT", 2005) swaps the outputs of two
// systems for random segments, and counts how often the systems then differ by more.
//
// Samples are drawn from NumPy's generator, and sums of resampled rows are taken in single
// precision, so the results equal those that sacreBLEU prints for the same seed.

#include <cstdint>
#include <optional>
#include <string>

#include "train/metrics/score_text.h"
#include "train/metrics/segment_statistics.h"

namespace calque {

struct Resampling {
  int samples = 1000;
  uint64_t seed = 12345;
};

enum class PairedTest { bootstrap, randomization };

// The fields of a signature: bs:1000|seed:12345, or ar: for approximate randomization.
std::string resampling_fields(PairedTest test, const Resampling& resampling);

Confidence bootstrap(const SegmentStatistics& statistics, const ScoreOfSums& score,
                     const Resampling& resampling);

struct Comparison {
  double baseline = 0, system = 0;  // the scores
  // Only from the bootstrap.
  std::optional<Confidence> baseline_confidence = {}, system_confidence = {};
  double p_value = 1;  // of the hypothesis that the difference is due to chance
};

// Compares two systems on the same test set.
Comparison compare(const SegmentStatistics& baseline, const SegmentStatistics& system,
                   const ScoreOfSums& score, PairedTest test, const Resampling& resampling);

// Two lines, the p-value on the second, with a star if it is below 0.05.
std::string comparison_text(const Comparison& comparison, std::string_view metric,
                            std::string_view baseline_name, std::string_view system_name,
                            int decimals);

}  // namespace calque
