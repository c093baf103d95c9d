#pragma once
// BLEU (Papineni et al., "BLEU: a method for automatic evaluation of machine translation", 2002):
// the geometric mean of the shares of n-grams, n = 1..4, that a translation has in common with its
// references, times a penalty if it is shorter than they are:
//
//   BLEU = BP exp(1/4 sum_n log p_n)      BP = min(1, exp(1 - reference length / length))
//
// All counts are summed over the corpus before they are divided.

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "train/metrics/score_text.h"
#include "train/metrics/tokenization/tokenization.h"
#include "train/metrics/translation/segment_statistics.h"

namespace calque {

// How an order without matches is smoothed; the logarithm of its precision would make BLEU zero
// (Chen and Cherry, "A systematic comparison of smoothing techniques for sentence-level BLEU",
// 2014).
enum class Smoothing {
  none,
  exponential,  // the k-th order without a match counts as 1/2^k matches
  floor,        // an order without a match counts as `value` matches
  add_k,        // `value` is added to matches and totals of every order but the first
};

struct BleuOptions {
  Tokenization tokenization = Tokenization::v13a;
  bool lowercase = false;
  Smoothing smoothing = Smoothing::exponential;
  std::optional<double> smoothing_value = {};  // for floor (0.1 if absent) and add_k (1)
  bool effective_order = false;                // leave out orders longer than the hypothesis
};

Smoothing parse_smoothing(std::string_view name);  // exp, floor, add-k or none

struct BleuScore {
  static constexpr size_t orders = 4;

  double score = 0;  // 0..100
  std::array<double, orders> precisions = {};
  double brevity_penalty = 0;
  int64_t hypothesis_length = 0;
  int64_t reference_length = 0;  // sum over the closest reference of each segment
  std::string signature;
  std::optional<Confidence> confidence = {};

  double ratio() const;
  std::string text(int decimals = 1) const;
};

// Throws an Error for an empty corpus, or references with another number of lines.
BleuScore bleu(Hypotheses hypotheses, References references, const BleuOptions& options = {});

SegmentStatistics bleu_statistics(Hypotheses hypotheses, References references,
                                  const BleuOptions& options);
// The result has no signature.
BleuScore bleu_of_sums(std::span<const double> sums, const BleuOptions& options);
std::string bleu_signature(size_t references, const BleuOptions& options,
                           std::string_view resampling = {});

// Whether the text seems to be tokenized already: at least 100 lines end in " .".
bool looks_tokenized(Hypotheses hypotheses);
// Returns a warning about text that seems to be tokenized and is tokenized again, or an empty text.
std::string tokenized_warning(Hypotheses hypotheses, const BleuOptions& options);

}  // namespace calque
