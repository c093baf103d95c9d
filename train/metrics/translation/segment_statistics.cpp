#include "train/metrics/translation/segment_statistics.h"

#include "core/error.h"

namespace calque {

void check_line_counts(Hypotheses hypotheses, References references) {
  if (references.empty()) fail("there is no reference to compare with");
  if (hypotheses.empty()) fail("there are no hypotheses to score");
  for (size_t r = 0; r < references.size(); ++r) {
    if (references[r].size() == hypotheses.size()) continue;
    fail("{} hypotheses, but reference {} has {} lines: they must correspond line by line",
         hypotheses.size(), r + 1, references[r].size());
  }
}

std::vector<double> SegmentStatistics::sums() const {
  std::vector<double> sums(width, 0.0);
  for (size_t segment = 0; segment < segments(); ++segment) {
    const std::span<const double> values_here = row(segment);
    for (size_t i = 0; i < width; ++i) sums[i] += values_here[i];
  }
  return sums;
}

}  // namespace calque
