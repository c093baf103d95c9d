#pragma once
// Exports a translator to ONNX, in the layout of transformers.js: onnx/encoder_model.onnx,
// onnx/decoder_model_merged.onnx with a cache of keys and values, config.json,
// generation_config.json and the tokenizer's files. Both graphs also return the attention weights.

#include <string>

#include "interop/exported.h"

namespace calque {

// Writes the new folder. Throws an Error for a model that the format cannot hold.
void export_onnx(const ExportedTranslator& from, const std::string& out);

}  // namespace calque
