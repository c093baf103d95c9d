#pragma once
// The explanation of a sentence by a trained translator.

#include <string>

#include "decode/explanation.h"
#include "train/tasks/translation/run.h"

namespace calque {

// Throws an Error for a text that is empty or not UTF-8.
Explanation explain_sentence(const TranslationRun& run, const std::string& text,
                             const DecodingConfig& decoding);

}  // namespace calque
