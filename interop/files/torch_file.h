#pragma once
// pytorch_model.bin, the file of torch.save(): a zip archive of data.pkl, which describes the
// tensors (interop/files/pickle.h), and data/N, the numbers of a storage.

#include <string>
#include <string_view>

#include "interop/parameters/tensors.h"

namespace calque {

// Adds the tensors of a file to `to`. Throws an Error that names the place unless the file is a
// dictionary of tensors of finite numbers.
void add_torch_tensors(std::string_view archive, const std::string& place, ForeignTensors& to);
void add_torch_file(const std::string& path, ForeignTensors& to);

}  // namespace calque
