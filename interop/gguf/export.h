#pragma once
// Exports a language model to GGUF, the format of llama.cpp: Llama, GPT-NeoX or GPT-2, with its
// tokenizer, in one file. llama.cpp approximates GELU, x P(X <= x), by tanh; the rest is exact.

#include <string>

#include "interop/exported.h"

namespace calque {

// Writes the new folder. Throws an Error for a model that the format cannot hold.
void export_gguf(const ExportedLanguageModel& from, const std::string& out);

}  // namespace calque
