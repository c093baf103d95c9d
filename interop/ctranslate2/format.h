#pragma once
// Translators of CTranslate2, an inference engine for CPUs and GPUs: a folder of model.bin, of
// binary version 1 to 6, config.json and the vocabularies. Weights of 8 or 16 bits become floats.

#include <string>

#include "interop/ctranslate2/file.h"
#include "interop/export_folder.h"
#include "interop/model.h"
#include "interop/parameters/tensors.h"
#include "interop/parameters/walk.h"

namespace calque {

void write_ctranslate2(const Exported<Transformer>& from, bool int8, ExportFolder& to);

// Throws an Error for a folder that is damaged, or a model that calque cannot represent.
Imported<Transformer> import_ctranslate2(const std::string& folder);

// All variables but scalars and scales, as float tensors under their names and their aliases;
// `place` is for messages.
ForeignTensors ct2_tensors(const Ct2Model& model, const std::string& place);

// Visits the parameters under the names of CTranslate2. Skips the position tables and the output
// bias. Visits the tables of source, target and output
// separately, even if they are one tensor.
void walk_ctranslate2(ParameterWalk& walk, const Transformer& model);

// CTranslate2's number of the activation. That of SwiGLU is the number of its gate's activation.
int32_t ct2_activation(Activation activation);

}  // namespace calque
