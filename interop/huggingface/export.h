#pragma once
// Exports to the classes of Hugging Face's transformers:
//
//   translation     MarianMT (post-norm) or Pegasus (pre-norm), with MarianTokenizer
//   language model  Llama, GPT-NeoX or GPT-2, by shape_of(), with a fast tokenizer
//   masked-lm       BertForMaskedLM with a fast tokenizer
//   classification  BertForSequenceClassification with a fast tokenizer
//   images          ViTForImageClassification with its image processor
//
// Each export writes config.json, model.safetensors, README.md, the files of the tokenizer or image
// processor, and generation_config.json if the model generates text.

#include <string>

#include "interop/exported.h"

namespace calque {

// Write the new folder. Throw an Error for a model that no class holds.
void export_huggingface(const ExportedTranslator& from, const std::string& out);
void export_huggingface(const ExportedLanguageModel& from, const std::string& out);
void export_huggingface(const ExportedMaskedLm& from, const std::string& out);
void export_huggingface(const ExportedClassifier& from, const std::string& out);
void export_huggingface(const ExportedImageModel& from, const std::string& out);

}  // namespace calque
