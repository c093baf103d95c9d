#pragma once
// Exports a translator to CTranslate2, an inference engine for CPUs and GPUs: model.bin,
// config.json and the vocabularies.

#include <string>

#include "interop/exported.h"

namespace calque {

enum class Ct2Weights { float32, int8 };

// Writes the new folder. Throws an Error for a model that the format cannot hold.
void export_ctranslate2(const ExportedTranslator& from, Ct2Weights weights, const std::string& out);

}  // namespace calque
