#pragma once
// Named tensors, the common currency of all formats: a format lists what its engine expects, under
// the engine's names and in its layout, and a writer makes a file of the list. Linear layers are
// [in, out] here; most engines store [out, in].

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
// The columns [begin, end) of a matrix, or of a vector its elements.
Tensor columns(const Tensor& x, int64_t begin, int64_t end);
Tensor scaled(const Tensor& x, real factor);
// The elements as floats of 4 bytes, in row-major order.
std::string float_bytes(const Tensor& x);

// Throws an Error with the name of the first tensor whose shape or bits differ; `place` is the file
// that `read` comes from.
void require_same(const TensorList& written, const TensorList& read, const std::string& place);

}  // namespace calque
