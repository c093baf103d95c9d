#pragma once
// Exports a translator to ONNX, in the layout of transformers.js: onnx/encoder_model.onnx,
// onnx/decoder_model_merged.onnx with a cache of keys and values, config.json,
// generation_config.json and the tokenizer's files. Both graphs also return the attention weights.

#include "interop/export_folder.h"
#include "interop/model.h"

namespace calque {

void write_onnx(const Exported<Transformer>& from, ExportFolder& to);

}  // namespace calque
