#pragma once
// Which source token each written token looked at: the largest cross-attention weight, averaged
// over the heads of the last decoder layer but one, whose attention is known to be the nearest to a
// word alignment (Garg et al. 2019).

#include <cstdint>
#include <vector>

#include "nn/transformer.h"

namespace calque {

// For each token of each target, the place of a token of its source; sources and targets are
// without </s>, and no token is said to look at it. An empty source has no places: its list is
// empty.
std::vector<std::vector<int32_t>> attended_places(const Transformer& model,
                                                  const std::vector<std::vector<int32_t>>& sources,
                                                  const std::vector<std::vector<int32_t>>& targets);

}  // namespace calque
