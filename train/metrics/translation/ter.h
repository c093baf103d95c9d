#pragma once
// TER (Snover et al., "A study of translation edit rate with targeted human annotation", 2006): the
// number of edits that turn a translation into its reference, per hundred words of the reference.
// An edit inserts, deletes or replaces a word, or shifts a sequence of words. The minimum with
// shifts cannot be found in reasonable time, so TER is defined as the result of Tercom's greedy
// search: it makes the shift that saves the most edits until none saves any.
//
// With several references, a segment counts the fewest edits to any of them, and the mean of their
// lengths.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "train/metrics/score_text.h"
#include "train/metrics/tokenization/tokenization.h"
#include "train/metrics/translation/segment_statistics.h"

namespace calque {

using TerOptions = TercomOptions;

struct TerScore {
  double score = 0;  // 0 is best; no upper limit
  int64_t edits = 0;
  double reference_length = 0;
  std::string signature;
  std::optional<Confidence> confidence = {};

  std::string text(int decimals = 1) const;
};

// Throws an Error for an empty corpus, or references with another number of lines.
TerScore ter(Hypotheses hypotheses, References references, const TerOptions& options = {});

SegmentStatistics ter_statistics(Hypotheses hypotheses, References references,
                                 const TerOptions& options);
// The result has no signature.
TerScore ter_of_sums(std::span<const double> sums);
std::string ter_signature(size_t references, const TerOptions& options,
                          std::string_view resampling = {});

// The number of edits between two sequences of words, each given by a number.
int64_t translation_edits(std::span<const int32_t> hypothesis, std::span<const int32_t> reference);

}  // namespace calque
