#include "train/metrics/resampling/resampling.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/error.h"
#include "train/metrics/resampling/numpy_random.h"

namespace calque {
namespace {

void check(const SegmentStatistics& statistics, const Resampling& resampling) {
  if (resampling.samples < 2) fail("{} samples: resampling needs at least 2", resampling.samples);
  require(statistics.segments() > 0 && statistics.segments() < UINT32_MAX,
          "resampling: {} segments", statistics.segments());
}

// The scores of test sets drawn with replacement.
std::vector<double> resampled_scores(const SegmentStatistics& statistics, const ScoreOfSums& score,
                                     const Resampling& resampling) {
  NumpyRandom random(resampling.seed);
  const auto segments = static_cast<uint32_t>(statistics.segments());
  std::vector<double> scores;
  std::vector<float> sums(statistics.width);
  for (int sample = 0; sample < resampling.samples; ++sample) {
    std::ranges::fill(sums, 0.0F);
    for (uint32_t i = 0; i < segments; ++i) {
      const std::span<const double> row = statistics.row(random.below(segments));
      for (size_t k = 0; k < sums.size(); ++k) sums[k] += static_cast<float>(row[k]);
    }
    scores.push_back(score(std::vector<double>(sums.begin(), sums.end())));
  }
  return scores;
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

Confidence confidence(std::vector<double> scores) {
  std::ranges::sort(scores);
  const size_t outside = scores.size() / 40;  // 2.5 % on either side
  const double low = scores[outside], high = scores[scores.size() - outside - 1];
  return {mean(scores), 0.5 * (high - low)};
}

// Adds 1 to both counts, so that the p-value is never 0.
double p_value(const std::vector<double>& differences, double real_difference) {
  const auto larger =
      std::ranges::count_if(differences, [&](double value) { return value > real_difference; });
  return static_cast<double>(larger + 1) / static_cast<double>(differences.size() + 1);
}

void compare_by_bootstrap(const SegmentStatistics& baseline, const SegmentStatistics& system,
                          const ScoreOfSums& score, const Resampling& resampling,
                          Comparison& result) {
  const std::vector<double> baseline_scores = resampled_scores(baseline, score, resampling);
  const std::vector<double> system_scores = resampled_scores(system, score, resampling);
  std::vector<double> differences(baseline_scores.size());
  for (size_t i = 0; i < differences.size(); ++i) {
    differences[i] = system_scores[i] - baseline_scores[i];
  }
  result.difference_confidence = confidence(differences);
  for (double& difference : differences) difference = std::abs(difference);
  const double center = mean(differences);
  for (double& difference : differences) difference -= center;
  result.p_value = p_value(differences, std::abs(result.baseline - result.system));
  result.baseline_confidence = confidence(baseline_scores);
  result.system_confidence = confidence(system_scores);
}

void compare_by_randomization(const SegmentStatistics& baseline, const SegmentStatistics& system,
                              const ScoreOfSums& score, const Resampling& resampling,
                              Comparison& result) {
  NumpyRandom random(resampling.seed);
  std::vector<double> differences;
  std::vector<double> one(baseline.width), other(baseline.width);
  for (int sample = 0; sample < resampling.samples; ++sample) {
    std::ranges::fill(one, 0.0);
    std::ranges::fill(other, 0.0);
    for (size_t i = 0; i < baseline.segments(); ++i) {
      const bool keep = random.coin();
      const auto first = (keep ? baseline : system).row(i);
      const auto second = (keep ? system : baseline).row(i);
      for (size_t k = 0; k < baseline.width; ++k) {
        one[k] += first[k];
        other[k] += second[k];
      }
    }
    differences.push_back(std::abs(score(one) - score(other)));
  }
  result.p_value = p_value(differences, std::abs(result.baseline - result.system));
}

}  // namespace

std::string resampling_fields(PairedTest test, const Resampling& resampling) {
  return fmt::format("{}:{}|seed:{}", test == PairedTest::bootstrap ? "bs" : "ar",
                     resampling.samples, resampling.seed);
}

Confidence bootstrap(const SegmentStatistics& statistics, const ScoreOfSums& score,
                     const Resampling& resampling) {
  check(statistics, resampling);
  return confidence(resampled_scores(statistics, score, resampling));
}

Comparison compare(const SegmentStatistics& baseline, const SegmentStatistics& system,
                   const ScoreOfSums& score, PairedTest test, const Resampling& resampling) {
  check(baseline, resampling);
  require(baseline.width == system.width && baseline.segments() == system.segments(),
          "compare: {} segments of {} numbers and {} of {}", baseline.segments(), baseline.width,
          system.segments(), system.width);
  Comparison result;
  result.baseline = score(baseline.sums());
  result.system = score(system.sums());
  if (test == PairedTest::bootstrap) {
    compare_by_bootstrap(baseline, system, score, resampling, result);
  } else {
    compare_by_randomization(baseline, system, score, resampling, result);
  }
  return result;
}

std::string comparison_text(const Comparison& comparison, std::string_view metric,
                            std::string_view baseline_name, std::string_view system_name,
                            int decimals) {
  const auto line = [&](std::string_view name, double score, const std::optional<Confidence>& ci) {
    std::string text = fmt::format("{}: {} = {:.{}f}", name, metric, score, decimals);
    if (ci)
      text += fmt::format(" ({:.{}f} ± {:.{}f})", ci->mean, decimals, ci->half_width, decimals);
    return text;
  };
  return fmt::format("{}\n{} (p = {:.4f}){}",
                     line(baseline_name, comparison.baseline, comparison.baseline_confidence),
                     line(system_name, comparison.system, comparison.system_confidence),
                     comparison.p_value, comparison.p_value < 0.05 ? "*" : "");
}

}  // namespace calque
