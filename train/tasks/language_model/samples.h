#pragma once
// Samples of a language model: how it continues the beginnings of windows of a text, or answers
// conversations.

#include <vector>

#include "data/datasets/dataset.h"
#include "data/tokenizers/tokenizer.h"
#include "nn/models/language_model.h"
#include "train/config/config.h"
#include "train/report/records.h"

namespace calque {

// At most `count` samples, spread evenly over the text. The prompts are the same at every call.
std::vector<Sample> sample_continuations(const LanguageModel& model, const Tokenizer& tokenizer,
                                         const Dataset& text, const Config& config, int64_t count);

}  // namespace calque
