#pragma once
// Fills an Explanation: translates one sentence, and keeps all that the model did on the way.

#include <cstdint>
#include <vector>

#include "decode/explanation.h"
#include "decode/search.h"

namespace calque {

// Everything but texts: tokens, logits, attention, positions and, unless the search is greedy, the
// beam. `source` is without </s>. The texts and the vocabulary are the caller's to add.
Explanation explain(const Transformer& model, const std::vector<int32_t>& source,
                    const SearchOptions& options);

}  // namespace calque
