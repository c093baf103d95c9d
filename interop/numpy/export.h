#pragma once
// Exports the parameters of any model under calque's own names, for NumPy (.npz) or as safetensors.

#include <string>

#include "core/parameters.h"

namespace calque {

void export_numpy(const Parameters& parameters, const std::string& out);
void export_safetensors(const Parameters& parameters, const std::string& out);

}  // namespace calque
