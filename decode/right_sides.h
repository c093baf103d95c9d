#pragma once
// Weights as the right sides of the products that every step of a decoder makes.

#include "core/blas.h"
#include "nn/linear.h"
#include "nn/output_projection.h"

namespace calque {

inline Matrix right_side(const Linear& linear) {
  return {linear.weight.data(), linear.weight.rows(), linear.weight.cols()};
}

inline Matrix right_side(const OutputProjection& output) {
  return transposed({output.weight.data(), output.weight.rows(), output.weight.cols()});
}

}  // namespace calque
