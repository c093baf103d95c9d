#pragma once
// The tokenizer of a language model.

#include "train/tasks/run_tokenizers.h"

namespace calque {

Tokenizer open_text_tokenizer(const Config& config, const RunFolder& run, const TaskStart& start);

}  // namespace calque
