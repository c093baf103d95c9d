#pragma once
// From scores to candidates: the most probable next tokens of each hypothesis.

#include <cstdint>
#include <optional>
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

// How to draw a token instead of taking the best: scores are divided by the temperature, then all
// but the k best are dropped, then all but the fewest whose probabilities reach p.
struct Sampling {
  double temperature = 1;  // 0: always the best
  int64_t top_k = 0;       // 0: all
  double top_p = 1;
  uint64_t seed = 1;
};

// The token at `chance`, in [0, 1), with its log-probability before any of this; nothing when all
// are forbidden.
std::optional<NextToken> sample_token(std::span<const real> scores, real log_sum,
                                      const Sampling& sampling, double chance);

// Several models' scores as one: the logarithm of the mean of their probabilities, row by row.
Tensor mean_of_probabilities(const std::vector<Tensor>& scores);

}  // namespace calque
