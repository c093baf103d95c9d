#pragma once
// Fills an Explanation for a language model: what it computes when it reads a prompt and its
// continuation.

#include <cstdint>
#include <vector>

#include "decode/explanation.h"
#include "nn/language_model.h"

namespace calque {

// Tokens, logits, attention and positions. The prompt has its first token, usually <s>, and the
// continuation </s> where it ended. The source, the encoder's parts and the beam stay empty; the
// texts and the vocabulary are the caller's to add.
Explanation explain_text(const LanguageModel& model, const std::vector<int32_t>& prompt,
                         const std::vector<int32_t>& continuation);

}  // namespace calque
