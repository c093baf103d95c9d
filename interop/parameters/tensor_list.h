#pragma once
// Named tensors for exports: a format lists the tensors that its engine expects, under the engine's
// names and in its layout, and a writer writes the list to a file. calque's linear layers are
// [in, out]; most engines store [out, in].

#include <string>
#include <string_view>
#include <vector>

#include "core/tensor.h"

namespace calque {

struct ListedTensor {
  std::string name;
  Tensor tensor;
};
using TensorList = std::vector<ListedTensor>;

Tensor transposed(const Tensor& matrix);
Tensor scaled(const Tensor& x, real factor);
// The elements as floats of 4 bytes, in row-major order.
std::string float_bytes(const Tensor& x);

// Throws an Error if the numbers of tensors differ, or else for the first tensor whose name, shape
// or bits differ. `place` is the file that `read` comes from.
void require_same(const TensorList& written, const TensorList& read, const std::string& place);

}  // namespace calque
