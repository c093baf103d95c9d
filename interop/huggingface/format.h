#pragma once
// The classes of Hugging Face's transformers:
//
//   translation     MarianMT (post-norm) or Pegasus (pre-norm), with MarianTokenizer
//   language model  Llama, GPT-NeoX or GPT-2, by shape_of(), with a fast tokenizer
//   masked-lm       BertForMaskedLM with a fast tokenizer
//   classification  BertForSequenceClassification with a fast tokenizer
//   images          ViTForImageClassification with its image processor
//
// An export writes config.json, model.safetensors, README.md, the files of the tokenizer or image
// processor, and generation_config.json if the model generates text. An import also reads
// pytorch_model.bin, the tokenizers of tokenizers/json_import.h, vocab.txt, and any other class of
// BERT as a masked language model.

#include <string>
#include <vector>

#include "interop/export_folder.h"
#include "interop/model.h"

namespace calque {

// M2M100ForConditionalGeneration with M2M100Tokenizer, for a translator between many languages. The
// token of the target language has the place of that of the source. Throws an Error for a language
// that M2M100 does not have.
void write_m2m100(const Exported<Transformer>& from, ExportFolder& to);

// Throw an Error for a model that no class holds.
void write_huggingface(const Exported<Transformer>& from, ExportFolder& to);
void write_huggingface(const Exported<LanguageModel>& from, ExportFolder& to);
void write_huggingface(const Exported<MaskedLm>& from, ExportFolder& to);
void write_huggingface(const Exported<Classifier>& from, ExportFolder& to);
void write_huggingface(const Exported<VisionTransformer>& from, ExportFolder& to);

// The tasks whose models are a BERT.
std::vector<TaskKind> bert_tasks();

// Throws an Error for a folder that is damaged, or a model that calque cannot represent.
AnyImported import_huggingface(const std::string& folder);

}  // namespace calque
