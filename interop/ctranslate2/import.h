#pragma once
// Imports a translator of CTranslate2: a folder with the vocabularies and a model.bin of binary
// version 1 to 6. Weights of 8 or 16 bits become floats.

#include <string>

#include "interop/ctranslate2/file.h"
#include "interop/imported.h"
#include "interop/parameters/tensors.h"

namespace calque {

// Throws an Error for a folder that is damaged, or a model that calque cannot represent.
ImportedTranslator import_ctranslate2(const std::string& folder);

// All variables but scalars and scales, as float tensors under their names and their aliases;
// `place` is for messages.
ForeignTensors ct2_tensors(const Ct2Model& model, const std::string& place);

}  // namespace calque
