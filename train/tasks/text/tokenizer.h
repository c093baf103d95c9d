#pragma once
// The tokenizer of the tasks language-model, masked-lm and word2vec.

#include "train/tasks/run_tokenizers.h"

namespace calque {

Tokenizer open_text_tokenizer(const Config& config, const RunFolder& run, const TaskStart& start);

}  // namespace calque
