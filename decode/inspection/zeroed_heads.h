#pragma once
// What each head contributes to an output: the output if the head's own output is zero.

#include <span>
#include <vector>

#include "decode/inspection/residual_stream.h"

namespace calque {

// The output after the ids without each head of each layer, one head at a time; `target` is the
// token that follows. `states` are those of the ids.
std::vector<ZeroedHead> zeroed_heads(const LanguageModel& model, std::span<const Tensor> states,
                                     int32_t target);

}  // namespace calque
