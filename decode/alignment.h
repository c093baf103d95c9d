#pragma once
// A word alignment from attention: for each target token the source token with the largest
// mean cross-attention of the heads of the penultimate decoder layer (Garg et al. 2019), or with
// the largest attention of a recurrent model.

#include <cstdint>
#include <vector>

#include "nn/translator.h"

namespace calque {

// For each token of each target, the index of a token of its source, or no indices for an empty
// source. Sources and targets are without </s>.
std::vector<std::vector<int32_t>> attended_places(Translator model,
                                                  const std::vector<std::vector<int32_t>>& sources,
                                                  const std::vector<std::vector<int32_t>>& targets);

}  // namespace calque
