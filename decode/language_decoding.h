#pragma once
// Text generation by a language model: the items that prompts make, and the model that search() and
// sample() take for them.

#include <cstdint>
#include <vector>

#include "decode/decoding_item.h"
#include "decode/step_decoder.h"
#include "nn/language_model.h"

namespace calque {

// One item for each prompt, of up to `longest` tokens; its number is its place. A prompt has a
// token at least, usually <s>. The repetition penalty counts the prompt's tokens.
std::vector<DecodingItem> language_items(const std::vector<std::vector<int32_t>>& prompts,
                                         int64_t longest);

// The cached decoder over these prompts, both of which must outlive it.
DecodingModel language_decoding_model(const LanguageModel& model,
                                      const std::vector<std::vector<int32_t>>& prompts);

}  // namespace calque
