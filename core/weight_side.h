#pragma once
// Which parameters are the right sides of products: their weights may be kept in fewer bits.

#include "core/parameters.h"
#include "core/precision.h"

namespace calque {

// Whether a parameter is a right side as it is, [in, out], or transposed.
enum class WeightSide { none, right, transposed };

// The form of a parameter in a model of a form. Of a model in 4 bits the table of tokens keeps 8,
// as in llama.cpp: all predictions come from it.
inline Precision form_of(Role role, Precision form) {
  const bool table = role == Role::embedding || role == Role::output;
  return form == Precision::q4_0 && table ? Precision::q8_0 : form;
}

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
