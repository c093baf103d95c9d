#include "decode/models/step_output.h"

#include <algorithm>
#include <memory>

#include "core/products/compact/matrix.h"
#include "core/products/int8/matrix.h"
#include "decode/models/parts.h"

namespace calque {
namespace {

Tensor rows_of_tokens(const Tensor& weight, std::span<const int32_t> tokens) {
  const int64_t width = weight.cols();
  Tensor rows({std::ssize(tokens), width});
  for (size_t i = 0; i < tokens.size(); ++i) {
    real* to = rows.data() + static_cast<int64_t>(i) * width;
    if (const CompactMatrix* compact = weight.values().compact()) {
      compact->copy_rows(tokens[i], 1, to);
    } else {
      std::copy_n(weight.data() + tokens[i] * width, width, to);
    }
  }
  return rows;
}

Tensor numbers_of_tokens(const Tensor& bias, std::span<const int32_t> tokens) {
  Tensor numbers({std::ssize(tokens)});
  for (size_t i = 0; i < tokens.size(); ++i) numbers.data()[i] = bias.data()[tokens[i]];
  return numbers;
}

}  // namespace

StepOutput::StepOutput(const OutputProjection& whole, std::span<const int32_t> outputs,
                       int64_t rows)
    : whole_(whole) {
  part_ = whole;
  part_->weight = rows_of_tokens(whole.weight, outputs);
  if (whole.bias) part_->bias = numbers_of_tokens(whole.bias, outputs);
  if (whole.weight.values().rounded()) {  // rounding again gives the same integers
    part_->weight.values().round_for_products(
        std::make_shared<const Int8Matrix>(right_side(*part_)));
  }
  if (PackedWeights::worthwhile(rows)) packed_.emplace(std::vector{right_side(*part_)});
}

Tensor StepOutput::operator()(const Tensor& hidden) const {
  if (!part_) return whole_(hidden);
  if (!packed_) return (*part_)(hidden);
  const PackedWeights::Use use(*packed_);
  return (*part_)(hidden);
}

}  // namespace calque
