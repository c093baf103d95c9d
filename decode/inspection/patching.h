#pragma once
// Activation patching between two prompts: where, by layer and token, does the model hold what
// makes the outputs differ?

#include <span>

#include "decode/inspection/residual_stream.h"

namespace calque {

// Takes each state of each token of `ids` from the pass over `other`, one at a time. Both have the
// same number of tokens. Leaves the text of the other prompt empty.
Patching patch_states(const LanguageModel& model, std::span<const int32_t> ids,
                      std::span<const int32_t> other);

}  // namespace calque
