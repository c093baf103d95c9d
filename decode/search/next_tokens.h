#pragma once
// From scores to candidates: the most probable next tokens of each hypothesis (core/ops/scores.h),
// and the scores of several models as one.

#include <vector>

#include "core/ops/scores.h"
#include "core/tensor.h"

namespace calque {

// The logarithm of the mean of several models' probabilities, row by row. The scores of a single
// model are returned unchanged.
Tensor mean_of_probabilities(const std::vector<Tensor>& scores);

}  // namespace calque
