#pragma once
// The output of a language model without some of its heads, or steered along directions (Turner et
// al. 2023), beside its unchanged output.

#include <cstdint>
#include <span>
#include <vector>

#include "decode/inspection/residual_stream.h"
#include "decode/search/step_decoder.h"

namespace calque {

// The direction of some tokens: the mean of their rows of the output table, as long as `length`.
Tensor direction_of(const LanguageModel& model, std::span<const int32_t> tokens, real length);

// The length of the last token's vector in a state.
real length_of_last(const Tensor& state);

// The most likely tokens after the prompt, with and without the edits.
std::vector<ChangedToken> compare_next(const LanguageModel& model, std::span<const int32_t> prompt,
                                       const Edits& edits);

// Decodes with the edits, by a full pass over the text at each step. For one prompt and one sample;
// model, prompt and edits must outlive the result.
DecodingModel edited_model(const LanguageModel& model, const std::vector<int32_t>& prompt,
                           const Edits& edits);

}  // namespace calque
