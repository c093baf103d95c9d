#pragma once
// Fills an Explanation: decodes one input and records everything that the model computes. The texts
// and the vocabulary are the caller's to add.

#include <cstdint>
#include <vector>

#include "decode/explanation.h"
#include "decode/translation.h"
#include "nn/language_model.h"

namespace calque {

// Tokens, logits, attention, positions and, unless the search is greedy, the beam of one
// translation. `source` is without </s>.
Explanation explain(const Transformer& model, const std::vector<int32_t>& source,
                    const TranslationOptions& options);

// The same of a text: the prompt, its first token such as <s> included, and how it goes on, with
// </s> where it ended. The source, the encoder's parts and the beam stay empty.
Explanation explain(const LanguageModel& model, const std::vector<int32_t>& prompt,
                    const std::vector<int32_t>& continuation);

}  // namespace calque
