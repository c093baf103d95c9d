#pragma once
// Translators of Marian: model.npz with the parameters and the settings of the model,
// model.npz.decoder.yml for its decoder, and the vocabularies (.spm or .yml) beside it.

#include <string>
#include <string_view>

#include "interop/export_folder.h"
#include "interop/model.h"
#include "interop/parameters/tensors.h"
#include "interop/parameters/walk.h"

namespace calque {

void write_marian(const Exported<Transformer>& from, ExportFolder& to);

// The path of the model: `place` if it is an .npz file; in a folder, model.npz or else the only
// .npz file other than an optimizer's. Empty if there is no such file.
std::string marian_model(const std::string& place);

// The vocabularies are those that the file's .decoder.yml names; without it, vocab.spm, source.spm
// with target.spm, vocab.yml, or source.yml with target.yml. Throws an Error for files that are
// damaged, or a model that calque cannot represent.
Imported<Transformer> import_marian(const std::string& path);

// The contents of an .npz file: the text of special:model.yml, and the tensors. A matrix of one row
// becomes a vector. `place` is for messages.
struct MarianFile {
  std::string settings;
  ForeignTensors tensors;
};
MarianFile parse_marian(std::string_view bytes, const std::string& place);

// Visits all parameters under Marian's names, including the output bias if the model has one.
void walk_marian(ParameterWalk& walk, const Transformer& model);

}  // namespace calque
