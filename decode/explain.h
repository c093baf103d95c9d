#pragma once
// Fills an Explanation: translates one sentence and records everything that the model computes.

#include <cstdint>
#include <vector>

#include "decode/explanation.h"
#include "decode/translation.h"

namespace calque {

// Tokens, logits, attention, positions and, unless the search is greedy, the beam. `source` is
// without </s>. The texts and the vocabulary are the caller's to add.
Explanation explain(const Transformer& model, const std::vector<int32_t>& source,
                    const TranslationOptions& options);

}  // namespace calque
