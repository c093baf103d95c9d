#include "train/metrics/translation/segment_statistics.h"

#include "core/error.h"
#include "core/threads/parallel.h"

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

std::vector<std::vector<std::string>> one_segment(std::span<const std::string> references) {
  std::vector<std::vector<std::string>> lines;
  for (const std::string& reference : references) lines.push_back({reference});
  return lines;
}

std::vector<double> SegmentStatistics::sums() const {
  std::vector<double> sums(width, 0.0);
  for (size_t segment = 0; segment < segments(); ++segment) {
    const std::span<const double> values_here = row(segment);
    for (size_t i = 0; i < width; ++i) sums[i] += values_here[i];
  }
  return sums;
}

SegmentStatistics collect_statistics(
    size_t segments, size_t width,
    const std::function<void(size_t begin, size_t end, std::span<double> rows)>& fill) {
  constexpr int64_t segments_per_piece = 64;
  SegmentStatistics statistics{width, std::vector<double>(segments * width, 0.0)};
  parallel_for(static_cast<int64_t>(segments), segments_per_piece, [&](int64_t from, int64_t to) {
    const auto begin = static_cast<size_t>(from), end = static_cast<size_t>(to);
    fill(begin, end, std::span(statistics.values).subspan(begin * width, (end - begin) * width));
  });
  return statistics;
}

}  // namespace calque
