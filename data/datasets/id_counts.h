#pragma once
// How often each id of a vocabulary occurs in a dataset.

#include <cstdint>
#include <vector>

#include "data/datasets/token_store.h"

namespace calque {

// Returns the counts by id: [vocabulary].
std::vector<int64_t> count_ids(const TokenStore& tokens, int column, int32_t vocabulary);

// The same of about `most` ids, from examples that are spread over the dataset.
std::vector<int64_t> count_sampled_ids(const TokenStore& tokens, int column, int32_t vocabulary,
                                       int64_t most);

}  // namespace calque
