#pragma once
// The statistics of each segment (a hypothesis and its references): a row of numbers, such that the
// score of any selection of segments is a function of the sums of their rows. Resampling can
// therefore score thousands of random test sets without processing the text again.

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/threads/parallel.h"

namespace calque {

// A test set: one hypothesis per segment, and one or more references, each with one line per
// segment.
using Hypotheses = std::span<const std::string>;
using References = std::span<const std::vector<std::string>>;

// Throws an Error unless there is a reference and every one has as many lines as there are
// hypotheses.
void check_line_counts(Hypotheses hypotheses, References references);

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

// Computes the rows on all threads: RowMaker(hypotheses, references, options).make(segment, row)
// for each segment. Checks the line counts first.
template <class RowMaker, class Options>
SegmentStatistics collect_statistics(Hypotheses hypotheses, References references, size_t width,
                                     const Options& options) {
  constexpr int64_t segments_per_piece = 64;
  check_line_counts(hypotheses, references);
  SegmentStatistics statistics{width, std::vector<double>(hypotheses.size() * width)};
  parallel_for(std::ssize(hypotheses), segments_per_piece, [&](int64_t from, int64_t to) {
    RowMaker maker(hypotheses, references, options);
    for (auto i = static_cast<size_t>(from); i < static_cast<size_t>(to); ++i) {
      maker.make(i, std::span(statistics.values).subspan(i * width, width));
    }
  });
  return statistics;
}

}  // namespace calque
