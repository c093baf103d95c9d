#pragma once
// The logit lens (nostalgebraist 2020): every state of the residual stream, read by the model's own
// last norm and output, as if the layers above did not exist.

#include <span>
#include <vector>

#include "decode/inspection/residual_stream.h"

namespace calque {

// The guesses of each state for each token; targets[t] is the token that follows token t.
std::vector<std::vector<LensGuess>> logit_lens(const LanguageModel& model,
                                               std::span<const Tensor> states,
                                               std::span<const int32_t> targets);

}  // namespace calque
