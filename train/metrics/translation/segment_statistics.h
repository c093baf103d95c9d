#pragma once
// The statistics of each segment (a hypothesis and its references): a row of numbers, such that the
// score of any selection of segments is a function of the sums of their rows. Resampling can
// therefore score thousands of random test sets without processing the text again.

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace calque {

// A test set: one hypothesis per segment, and one or more references, each with one line per
// segment.
using Hypotheses = std::span<const std::string>;
using References = std::span<const std::vector<std::string>>;

// Throws an Error unless there is a reference and every one has as many lines as there are
// hypotheses.
void check_line_counts(Hypotheses hypotheses, References references);

// The references of a single segment in the form of those of a test set.
std::vector<std::vector<std::string>> one_segment(std::span<const std::string> references);

struct SegmentStatistics {
  size_t width = 0;
  std::vector<double> values;  // [segments, width]

  size_t segments() const { return width == 0 ? 0 : values.size() / width; }
  std::span<const double> row(size_t segment) const {
    return std::span(values).subspan(segment * width, width);
  }
  std::vector<double> sums() const;
};

// The score for the sums of rows: 0 to 100, or more in the case of TER.
using ScoreOfSums = std::function<double(std::span<const double> sums)>;

// Calls fill(begin, end, rows) on all threads to compute the rows of consecutive ranges of segments
// [begin, end). `fill` must not throw.
SegmentStatistics collect_statistics(
    size_t segments, size_t width,
    const std::function<void(size_t begin, size_t end, std::span<double> rows)>& fill);

}  // namespace calque
