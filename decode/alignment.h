#pragma once
// Word alignment from attention. A target token is aligned to the source token with the largest
// cross-attention weight, averaged over the heads of the penultimate decoder layer, or of the only
// one (Garg et al. 2019). A recurrent model has a single attention, which is used.

#include <cstdint>
#include <vector>

#include "nn/models/translator.h"

namespace calque {

// For each token of each target, the index of the aligned token of its source; an empty vector if
// the source is empty. Sources and targets are without </s>. Throws an Error for a recurrent model
// without attention.
std::vector<std::vector<int32_t>> attended_source_tokens(
    Translator model, const std::vector<std::vector<int32_t>>& sources,
    const std::vector<std::vector<int32_t>>& targets);

}  // namespace calque
