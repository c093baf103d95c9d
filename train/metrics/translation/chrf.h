#pragma once
// chrF and chrF++ (Popovic, "chrF: character n-gram F-score for automatic MT evaluation", 2015, and
// "chrF++: words helping character n-grams", 2017): precision and recall of character n-grams of 1
// to 6 characters (in chrF++ also of one and two words), averaged over the orders and combined into
// an F-score in which recall weighs beta times as much as precision:
//
//   chrF = 100 (1 + beta^2) P R / (beta^2 P + R)
//
// With several references, each segment is compared with the one that gives it the best score.

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "train/metrics/score_text.h"
#include "train/metrics/translation/segment_statistics.h"

namespace calque {

struct ChrfOptions {
  int character_order = 6;
  int word_order = 0;  // 2: chrF++
  int beta = 2;
  bool lowercase = false;
  bool whitespace = false;  // count white space as characters, instead of leaving it out
  // Average the F-scores of all orders, instead of P and R over the orders that occur.
  bool eps_smoothing = false;
};

struct ChrfScore {
  double score = 0;  // 0..100
  std::string name;  // chrF2, chrF2++, ...
  std::string signature;
  std::optional<Confidence> confidence = {};

  std::string text(int decimals = 1) const;
};

// Throws an Error for an empty corpus, or references with another number of lines.
ChrfScore chrf(Hypotheses hypotheses, References references, const ChrfOptions& options = {});

SegmentStatistics chrf_statistics(Hypotheses hypotheses, References references,
                                  const ChrfOptions& options);
// The result has no signature.
ChrfScore chrf_of_sums(std::span<const double> sums, const ChrfOptions& options);
std::string chrf_signature(size_t references, const ChrfOptions& options,
                           std::string_view resampling = {});

}  // namespace calque
