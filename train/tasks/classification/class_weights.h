#pragma once
// training.class_weights: empty, [balanced], or a list of LABEL=WEIGHT. Labels that the list does
// not name have the weight 1. The last '=' separates label and weight.

#include <string>
#include <vector>

#include "core/real.h"
#include "train/tasks/classification/labelled_corpora.h"

namespace calque {

// What is wrong with the list whatever the labels are; empty if nothing.
std::string class_weights_problem(const std::vector<std::string>& list);

// The weight of each class; empty for an empty list. `counts` are the examples of each class:
// balanced weights are inverse to them, and their mean over the examples is 1. Throws an Error for
// an unknown label.
std::vector<real> class_weights(const std::vector<std::string>& list, const Labels& labels,
                                const std::vector<int64_t>& counts);

}  // namespace calque
