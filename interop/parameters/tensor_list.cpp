#include "interop/parameters/tensor_list.h"

#include <algorithm>
#include <cstring>

#include "core/error.h"

namespace calque {

Tensor transposed(const Tensor& matrix) {
  const int64_t rows = matrix.rows(), cols = matrix.cols();
  Tensor out({cols, rows});
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < cols; ++j) out.data()[j * rows + i] = matrix.data()[i * cols + j];
  }
  return out;
}

Tensor scaled(const Tensor& x, real factor) {
  Tensor out(x.shape());
  std::ranges::transform(x.span(), out.data(), [factor](real value) { return factor * value; });
  return out;
}

std::string float_bytes(const Tensor& x) {
  std::string bytes;
  bytes.reserve(x.span().size() * sizeof(float));
  for (const real value : x.span()) {
    const auto number = static_cast<float>(value);
    bytes.append(reinterpret_cast<const char*>(&number), sizeof(number));
  }
  return bytes;
}

void require_same(const TensorList& written, const TensorList& read, const std::string& place) {
  if (written.size() != read.size()) {
    fail("{}: {} tensors were written, but {} are read back; export again", place, written.size(),
         read.size());
  }
  for (size_t i = 0; i < written.size(); ++i) {
    const ListedTensor &meant = written[i], &found = read[i];
    const bool same = meant.name == found.name && meant.tensor.shape() == found.tensor.shape() &&
                      std::memcmp(meant.tensor.data(), found.tensor.data(),
                                  meant.tensor.span().size_bytes()) == 0;
    if (!same) fail("{}: {} differs from what was written; export again", place, meant.name);
  }
}

}  // namespace calque
