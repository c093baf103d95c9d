#pragma once
// Imports a language model of llama.cpp: a GGUF file of Llama, GPT-NeoX or GPT-2 that is not
// quantized, with a SentencePiece BPE tokenizer or a byte tokenizer.

#include <string>

#include "interop/gguf/file.h"
#include "interop/imported.h"

namespace calque {

// Throws an Error for a file that is damaged, or a model that calque cannot represent.
ImportedLanguageModel import_gguf(const std::string& path);
// Imports a file that has been parsed; `path` is for messages.
ImportedLanguageModel import_gguf(const GgufFile& file, const std::string& path);

}  // namespace calque
