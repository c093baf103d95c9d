#pragma once
// training.class_weights: empty, [balanced], or a list of LABEL=WEIGHT. Labels that the list does
// not name have the weight 1. The last '=' separates label and weight.

#include <string>
#include <vector>

#include "core/real.h"
#include "train/config/checks/check.h"
#include "train/tasks/classes/labels.h"

namespace calque {

// Returns the first error in the list that can be found without the labels, or an empty text.
std::string class_weights_problem(const std::vector<std::string>& list);

// What contradicts training.class_weights.
std::vector<Contradiction> class_weight_contradictions(const Config& config);

// Returns the weight of each class, or nothing for an empty list. `counts` has the number of
// examples of each class. Balanced weights are proportional to the inverse of the counts, and their
// mean over all examples is 1. Throws an Error for an unknown label or a list with a problem.
std::vector<real> class_weights(const std::vector<std::string>& list, const Labels& labels,
                                const std::vector<int64_t>& counts);

}  // namespace calque
