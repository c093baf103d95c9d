#pragma once
// Rows of scores in decoding: the best of each, and sums of probabilities. Nothing here is recorded
// on a tape.

#include <cstdint>
#include <span>
#include <vector>

#include "core/tensor.h"

namespace calque {

struct NextToken {
  int32_t id;
  real log_probability;
};

// A view of a row of scores that stores the maximum of each block of consecutive scores, so that
// best() skips most blocks.
class ScoreRow {
 public:
  explicit ScoreRow(std::span<const real> scores);

  // log of the sum of exp over the row.
  real log_sum_exp() const;
  // log_sum_exp(). Throws an Error if it is not finite.
  real finite_log_sum() const;

  // The `count` best tokens with log-probabilities (scores - log_sum), best first; of tokens with
  // equal scores the lower id first. Tokens with a score of minus infinity are left out. Scores may
  // have been lowered since construction.
  std::vector<NextToken> best(int64_t count, real log_sum) const;

 private:
  real bound(int64_t count) const;
  std::vector<NextToken> best_of_at_least(real least, int64_t count) const;

  std::span<const real> scores_;
  std::vector<real> maxima_;  // of the blocks
};

// log(exp(a) + exp(b)). Requires finite a and b.
Tensor log_of_sum(const Tensor& a, const Tensor& b);

}  // namespace calque
