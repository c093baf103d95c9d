#pragma once
// Imports the folders of Hugging Face's transformers: config.json, weights and tokenizers. The
// weights are safetensors or pytorch_model.bin.
//
//   translators      MarianMT, and Pegasus with the tokenizer of MarianMT
//   language models  Llama, GPT-NeoX and GPT-2, with the tokenizers of tokenizer_json_import.h
//   encoders         BERT, with the same tokenizers or vocab.txt: BertForSequenceClassification
//                    becomes a classifier, any other class a masked language model
//   images           ViTForImageClassification, with preprocessor_config.json

#include <string>

#include "interop/imported.h"

namespace calque {

// Throws an Error for a folder that is damaged, or a model that calque cannot represent.
Imported import_huggingface(const std::string& folder);

}  // namespace calque
