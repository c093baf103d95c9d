#pragma once
// The examples of a dataset for a batch stream.

#include <cstdint>
#include <span>
#include <vector>

#include "data/batches/stream.h"
#include "data/datasets/dataset.h"

namespace calque {

// The cost of each example in a batch: the lengths of these columns with </s>.
std::vector<int32_t> costs_of(const TokenStore& store, std::span<const int> columns);

// All examples of the dataset. To vary them by epoch, wrap `read`.
ExampleSet examples_of(const Dataset& dataset, std::span<const int> cost_columns);

}  // namespace calque
