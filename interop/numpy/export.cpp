#include "interop/numpy/export.h"

#include <vector>

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

void write_numpy(const Exported<Parameters>& from, ExportFolder& to) {
  std::vector<NpyArray> arrays;
  for (const Parameters::Entry& entry : from.model.entries()) {
    arrays.push_back(npy_array(entry.name, entry.tensor));
  }
  to.write_npz("model.npz", arrays);
  to.write("README.md", std::string(numpy_readme).append(about_names));
}

void write_plain_safetensors(const Exported<Parameters>& from, ExportFolder& to) {
  TensorList tensors;
  for (const Parameters::Entry& entry : from.model.entries()) {
    tensors.push_back({entry.name, entry.tensor});
  }
  to.write_safetensors("model.safetensors", tensors);
  to.write("README.md", std::string(safetensors_readme).append(about_names));
}

}  // namespace calque
