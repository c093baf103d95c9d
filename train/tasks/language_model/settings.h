#pragma once
// Converts the config of a language model to options of data/ and nn/.

#include "data/documents/windows.h"
#include "nn/options.h"
#include "train/config/config.h"

namespace calque {

LanguageModelOptions language_model_options(const Config& config, int64_t vocabulary);
WindowOptions window_options(const Config& config, WindowUse use);

// The examples of two columns, inputs and expected ids: conversations, or windows over documents.
ExampleSet text_examples(const Dataset& dataset, const WindowOptions& windows);

}  // namespace calque
