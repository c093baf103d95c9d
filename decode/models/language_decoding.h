#pragma once
// Text generation by a language model: the items and the model that search() and sample() take for
// a list of prompts (defined in decode/models/cached_language_model.cpp).

#include <cstdint>
#include <vector>

#include "decode/search/item.h"
#include "decode/search/step_decoder.h"
#include "nn/models/language_model.h"

namespace calque {

// One item for each prompt, with an output of up to `longest` tokens; its number is the index of
// the prompt. A prompt must not be empty; usually it begins with <s>. The repetition penalty counts
// the prompt's tokens.
std::vector<DecodingItem> language_items(const std::vector<std::vector<int32_t>>& prompts,
                                         int64_t longest);

// The weights that every step multiplies with, for PackedWeights.
std::vector<Matrix> right_sides(const LanguageModel& model);

// Decodes with a key-value cache. Model and prompts must outlive the result.
DecodingModel language_decoding_model(const LanguageModel& model,
                                      const std::vector<std::vector<int32_t>>& prompts);

}  // namespace calque
