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

// log of the sum of exp over a row.
real log_sum_exp(std::span<const real> scores);

// The `count` best of a row of log-probabilities (unnormalised by `log_sum`), best first; of equals
// the lower id. Tokens with a score of minus infinity are never among them.
std::vector<NextToken> best_tokens(std::span<const real> scores, real log_sum, int64_t count);

// Several models' scores as one: the logarithm of the mean of their probabilities, row by row.
Tensor mean_of_probabilities(const std::vector<Tensor>& scores);

}  // namespace calque
