#pragma once
// Which parameters are the right sides of products: their weights may be kept in fewer bits.

#include "core/parameters.h"

namespace calque {

// Whether a parameter is a right side as it is, [in, out], or transposed.
enum class WeightSide { none, right, transposed };

inline WeightSide side_of(Role role, const Shape& shape) {
  if (shape.axes() != 2) return WeightSide::none;
  switch (role) {
    case Role::weight:
      return WeightSide::right;
    case Role::embedding:  // may be tied to the output
    case Role::output:
      return WeightSide::transposed;
    case Role::position:
    case Role::bias:
    case Role::gain:
    case Role::output_bias:
      return WeightSide::none;
  }
  return WeightSide::none;
}

}  // namespace calque
