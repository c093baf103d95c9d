#pragma once
// The explanation of a prompt and its greedy continuation by a trained language model.

#include <string>

#include "decode/explanation.h"
#include "train/tasks/language_model/run.h"

namespace calque {

// Throws an Error for a prompt that fills the context or is not UTF-8.
Explanation explain_prompt(const LanguageModelRun& run, const std::string& text);

}  // namespace calque
