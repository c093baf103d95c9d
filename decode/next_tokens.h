#pragma once
// From scores to candidates: the most probable next tokens of each hypothesis.

#include <cstdint>
#include <span>
#include <vector>

#include "core/tensor.h"

namespace calque {

struct NextToken {
  int32_t id;
  real log_probability;
};

// A row of scores, which stay where they are, and the greatest of each stretch of them, so that
// most need not be looked at again.
class ScoreRow {
 public:
  explicit ScoreRow(std::span<const real> scores);

  // log of the sum of exp over the row.
  real log_sum_exp() const;
  // The same; an Error where it is not finite.
  real finite_log_sum() const;

  // The `count` best as log-probabilities (scores less `log_sum`), best first; of equals the lower
  // id. Tokens with a score of minus infinity are never among them. Scores may have been lowered
  // meanwhile.
  std::vector<NextToken> best(int64_t count, real log_sum) const;

 private:
  real bound(int64_t count) const;
  std::vector<NextToken> best_from(real least, int64_t count) const;

  std::span<const real> scores_;
  std::vector<real> greatest_;
};

// Several models' scores as one: the logarithm of the mean of their probabilities, row by row.
Tensor mean_of_probabilities(const std::vector<Tensor>& scores);

}  // namespace calque
