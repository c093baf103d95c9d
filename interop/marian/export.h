#pragma once
// Exports a translator to Marian: model.npz with the parameters and the settings of the model,
// model.npz.decoder.yml for its decoder, and the vocabularies (.spm or .yml).

#include <string>

#include "interop/exported.h"

namespace calque {

// Writes the new folder. Throws an Error for a model that Marian cannot represent.
void export_marian(const ExportedTranslator& from, const std::string& out);

}  // namespace calque
