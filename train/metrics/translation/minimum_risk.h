#pragma once
// Minimum Bayes risk decoding (Kumar and Byrne 2004; Eikema and Aziz 2020): of several samples of
// the model, the one that is on average the most similar to the others,
//
//   argmax over samples h of the mean over samples r of utility(h, r)
//
// A sample that was drawn twice counts twice.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/named.h"

namespace calque {

enum class Utility { chrf, bleu };  // of two sentences
inline constexpr Named<Utility> utilities[] = {{"chrf", Utility::chrf}, {"bleu", Utility::bleu}};

struct RankedSample {
  size_t index;
  double utility;  // the mean, 0 to 100
};

// Different samples, the best first; of equal ones the first. Requires a sample.
std::vector<RankedSample> rank_by_risk(std::span<const std::string> samples, Utility utility);

}  // namespace calque
