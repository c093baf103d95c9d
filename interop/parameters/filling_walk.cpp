#include "interop/parameters/filling_walk.h"

#include <algorithm>

#include "core/error.h"

namespace calque {
namespace {

// The shape of the engine's tensor.
Shape placed_shape(const Tensor& own, const Placement& placement) {
  if (own.shape().axes() == 1) {
    return {placement.columns.empty() ? own.size() : std::ssize(placement.columns)};
  }
  const int64_t cols = placement.columns.empty() ? own.cols() : std::ssize(placement.columns);
  return placement.transposed ? Shape{cols, own.rows()} : Shape{own.rows(), cols};
}

}  // namespace

void copy_rows(const Tensor& from, const VocabularyRows& rows, const Tensor& to) {
  const int64_t width = to.size() / std::ssize(rows);
  for (size_t i = 0; i < rows.size(); ++i) {
    real* row = to.data() + static_cast<int64_t>(i) * width;
    if (rows[i] == no_row) {
      std::fill_n(row, width, real(0));
    } else {
      std::copy_n(from.data() + rows[i] * width, width, row);
    }
  }
}

Tensor output_bias(ForeignTensors& tensors, const std::string& name, const Shape& shape,
                   const VocabularyRows& rows, const std::vector<int32_t>& absent) {
  Tensor bias = Tensor::zeros({std::ssize(rows)});
  if (tensors.has(name)) copy_rows(tensors.take(name, shape), rows, bias);
  for (const int32_t id : absent) bias.data()[id] = absent_logit;
  return bias;
}

void FillingWalk::tensor(const std::string& name, const Tensor& own, const Placement& placement) {
  const bool vector = own.shape().axes() == 1;
  const Shape shape = placed_shape(own, placement);
  // A missing bias keeps its initial zeros.
  if (biases_ == Biases::optional && name.ends_with("bias") && !from_.has(name)) return;
  const Tensor read = from_.take(name, shape);
  const Tensor x = placement.transposed && !vector ? transposed(read) : read;
  if (placement.columns.empty()) {
    std::ranges::copy(x.span(), own.data());
    return;
  }
  const real* value = x.data();
  for (int64_t row = 0; row < own.rows(); ++row) {
    for (const int64_t column : placement.columns) {
      own.data()[row * own.cols() + column] = *value++;
    }
  }
}

void FillingWalk::table(const std::string& name, const Tensor& own, Side side, real factor) {
  require(factor == 1, "FillingWalk: {} has the factor {}", name, factor);
  const bool source = side == Side::source;
  const int64_t rows = source ? vocabularies_.source_size : vocabularies_.target_size;
  const VocabularyRows& order = source ? vocabularies_.source : vocabularies_.target;
  const Shape shape = own.shape().axes() == 1 ? Shape{rows} : Shape{rows, own.cols()};
  copy_rows(from_.take(name, shape), order, own);
}

}  // namespace calque
