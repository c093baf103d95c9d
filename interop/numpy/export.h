#pragma once
// Exports the parameters of any model under calque's own names, for NumPy (.npz) or as safetensors.

#include "interop/export_folder.h"
#include "interop/model.h"

namespace calque {

void write_numpy(const Exported<Parameters>& from, ExportFolder& to);
void write_plain_safetensors(const Exported<Parameters>& from, ExportFolder& to);

}  // namespace calque
