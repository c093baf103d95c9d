#pragma once
// From the config to the options of the layers below, for language models.

#include <vector>

#include "data/batch_plan.h"
#include "data/documents.h"
#include "data/text_windows.h"
#include "nn/options.h"
#include "train/config/config.h"

namespace calque {

LanguageModelOptions language_model_options(const Config& config, int64_t vocabulary);
WindowOptions window_options(const Config& config, WindowUse use);

// The texts of a split. `split` is what `split: auto` of a toy text stands for.
std::vector<DocumentSource> document_sources(const Corpora& corpora, const DataConfig& data,
                                             Split split);

// Whether documents have line ends inside, for which the tokenizer needs a symbol.
bool has_line_ends(const DataConfig& data);

}  // namespace calque
