#pragma once
// Imports a translator of Marian: an .npz file with the vocabularies beside it.

#include <string>
#include <string_view>

#include "interop/foreign_tensors.h"
#include "interop/imported.h"

namespace calque {

// The .npz file that the place is, or that is in this folder; empty if there is none. Of several
// the one named model.npz.
std::string marian_model(const std::string& place);

// The vocabularies are those that the file's .decoder.yml names, or vocab.spm, vocab.yml, or a pair
// source and target of these. Throws an Error for files that are damaged, or a model that calque
// cannot represent.
ImportedTranslator import_marian(const std::string& path);

// What an .npz file holds: the text of special:model.yml, and the tensors, where a matrix of one
// row is a vector. `place` is for messages.
struct MarianFile {
  std::string settings;
  ForeignTensors tensors;
};
MarianFile parse_marian(std::string_view bytes, const std::string& place);

}  // namespace calque
