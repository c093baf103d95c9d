#pragma once
// The scores of a decoding step: those of all tokens, or of some.

#include <optional>
#include <span>
#include <vector>

#include "core/products/packed_weights.h"
#include "nn/layers/output_projection.h"

namespace calque {

class StepOutput {
 public:
  explicit StepOutput(const OutputProjection& whole) : whole_(whole) {}
  // Of these tokens alone. A step has about `rows` rows.
  StepOutput(const OutputProjection& whole, std::span<const int32_t> outputs, int64_t rows);

  // hidden [rows, d_model] -> [rows, vocabulary], or [rows, outputs]
  Tensor operator()(const Tensor& hidden) const;

 private:
  const OutputProjection& whole_;
  std::optional<OutputProjection> part_;  // a copy of the rows of some tokens
  std::optional<PackedWeights> packed_;
};

}  // namespace calque
