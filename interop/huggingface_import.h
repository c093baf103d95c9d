#pragma once
// Imports the folders of Hugging Face's transformers: config.json, safetensors and tokenizers.
//
//   translators      MarianMT, and Pegasus with the tokenizer of MarianMT

#include <string>

#include "interop/imported.h"

namespace calque {

// Throws an Error for a folder that is damaged, or a model that calque cannot represent.
Imported import_huggingface(const std::string& folder);

}  // namespace calque
