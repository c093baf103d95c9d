#pragma once
// Imports a translator of CTranslate2: a folder with model.bin of the binary versions 1 to 6 and
// the vocabularies. Weights of 8 or 16 bits become floats.

#include <string>

#include "interop/ctranslate2_file.h"
#include "interop/foreign_tensors.h"
#include "interop/imported.h"

namespace calque {

// Throws an Error for a folder that is damaged, or a model that calque cannot represent.
ImportedTranslator import_ctranslate2(const std::string& folder);

// The variables that are tensors, as floats, also under their aliases; `place` is for messages.
ForeignTensors ct2_tensors(const Ct2Model& model, const std::string& place);

}  // namespace calque
