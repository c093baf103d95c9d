#include "interop/numpy/export.h"

#include <vector>

#include "core/error.h"
#include "data/files/file.h"
#include "interop/export_folder.h"
#include "interop/files/npz.h"

namespace calque {
namespace {

constexpr std::string_view about_names =
    "docs/model.md has the formulas behind the names. Linear layers are [in, out].\n";

constexpr std::string_view numpy_readme = R"(# Parameters for NumPy

```python
import numpy
model = numpy.load("model.npz")
for name in model.files:
    print(name, model[name].shape)
```

)";

constexpr std::string_view safetensors_readme = R"(# Parameters as safetensors

```python
from safetensors.numpy import load_file  # or safetensors.torch
model = load_file("model.safetensors")
for name, values in model.items():
    print(name, values.shape)
```

)";

}  // namespace

void export_numpy(const Parameters& parameters, const std::string& out) {
  ExportFolder folder(out);
  std::vector<NpyArray> arrays;
  for (const Parameters::Entry& entry : parameters.entries()) {
    arrays.push_back(npy_array(entry.name, entry.tensor));
  }
  const std::string path = folder.file("model.npz");
  const std::string bytes = npz_bytes(arrays, path);
  folder.write("model.npz", bytes);
  if (parse_npz(read_file(path, static_cast<int64_t>(bytes.size())), path) != arrays) {
    fail("{}: differs from what was written; export again", path);
  }
  folder.write("README.md", std::string(numpy_readme).append(about_names));
  folder.finish();
}

void export_safetensors(const Parameters& parameters, const std::string& out) {
  ExportFolder folder(out);
  TensorList tensors;
  for (const Parameters::Entry& entry : parameters.entries()) {
    tensors.push_back({entry.name, entry.tensor});
  }
  folder.write_safetensors("model.safetensors", tensors);
  folder.write("README.md", std::string(safetensors_readme).append(about_names));
  folder.finish();
}

}  // namespace calque
