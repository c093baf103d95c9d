#pragma once
// Converts the config of a language model to options of data/ and nn/.

#include <vector>

#include "data/batches/plan.h"
#include "data/documents/documents.h"
#include "data/documents/windows.h"
#include "nn/options.h"
#include "train/config/config.h"

namespace calque {

LanguageModelOptions language_model_options(const Config& config, int64_t vocabulary);
WindowOptions window_options(const Config& config, WindowUse use);

// The texts of a split. `split` is the split that `split: auto` of a toy corpus selects.
std::vector<DocumentSource> document_sources(const Corpora& corpora, const DataConfig& data,
                                             Split split);

// Whether documents contain line ends, so that the tokenizer needs a symbol for them.
bool has_line_ends(const DataConfig& data);

}  // namespace calque
