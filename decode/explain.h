#pragma once
// Fills an Explanation with what a model computes for one sentence or text. The caller adds the
// strings and the vocabulary.

#include <cstdint>
#include <vector>

#include "decode/explanation.h"
#include "decode/translation.h"
#include "nn/models/language_model.h"

namespace calque {

// Translates `source`, which is without </s>. Fills in tokens, logits, attention, positions,
// neighbours and, unless the search is greedy, the beam. Ignores the options n_best and sampling.
Explanation explain(Translator model, const std::vector<int32_t>& source,
                    const TranslationOptions& options);

// Reads a prompt and its continuation. Fills in tokens, logits, attention, positions and
// neighbours. The prompt includes its first token, usually <s>, and the continuation includes the
// </s> that ended it, if any.
Explanation explain_text(const LanguageModel& model, const std::vector<int32_t>& prompt,
                         const std::vector<int32_t>& continuation);

}  // namespace calque
