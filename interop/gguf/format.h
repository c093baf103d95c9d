#pragma once
// GGUF, the format of llama.cpp: a Llama, GPT-NeoX or GPT-2 that is not quantized, with its
// tokenizer (SentencePiece BPE, or bytes), in one file. llama.cpp approximates GELU,
// x P(X <= x), by tanh; the rest of an export is exact.

#include <string>
#include <vector>

#include "interop/export_folder.h"
#include "interop/gguf/file.h"
#include "interop/model.h"
#include "interop/parameters/walk.h"

namespace calque {

// `type` is how matrices are stored: float32, float16, bfloat16, q8_0 or q4_0.
void write_gguf(const Exported<LanguageModel>& from, std::string_view type, ExportFolder& to);

// Throws an Error for a file that is damaged, or a model that calque cannot represent.
Imported<LanguageModel> import_gguf(const std::string& path);
// Imports a file that has been parsed; `path` is for messages.
Imported<LanguageModel> import_gguf(const GgufFile& file, const std::string& path);

// How much the scaling of a rotation slows each pair of a head.
std::vector<double> rotation_factors(const Rotation& rotation, int64_t head_size);

// Visits the parameters under the names of llama.cpp: Llama, GPT-NeoX or GPT-2, by shape_of().
void walk_gguf(ParameterWalk& walk, const LanguageModel& model);

}  // namespace calque
