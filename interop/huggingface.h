#pragma once
// Exports to the classes of Hugging Face's transformers:
//
//   translation     MarianMT (post-norm) or Pegasus (pre-norm), with MarianTokenizer
//   language model  Llama, GPT-NeoX or GPT-2, by shape_of(), with a fast tokenizer
//
// Each writes config.json, generation_config.json, model.safetensors and the tokenizer's files.

#include <string>

#include "interop/exported.h"

namespace calque {

// Write the new folder. Throw an Error for a model that no class holds.
void export_huggingface(const ExportedTranslator& from, const std::string& out);
void export_huggingface(const ExportedLanguageModel& from, const std::string& out);

}  // namespace calque
