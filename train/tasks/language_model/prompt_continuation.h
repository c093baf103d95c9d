#pragma once
// A prompt as tokens, and its greedy continuation: what explanations and inspections start from.

#include <cstdint>
#include <string>
#include <vector>

#include "decode/search/search.h"
#include "train/tasks/language_model/run.h"

namespace calque {

// The tokens of a prompt, <s> first. Throws an Error that names the prompt as `what` if it is not
// UTF-8 or fills the context.
std::vector<int32_t> prompt_tokens(const LanguageModelRun& run, const std::string& text,
                                   const std::string& what);

// What `model` writes after the prompt, always the most probable token: at most 24 tokens, or as
// many as the context has room for.
Hypothesis greedy_continuation(const LanguageModelRun& run, const DecodingModel& model,
                               const std::vector<int32_t>& prompt);

}  // namespace calque
