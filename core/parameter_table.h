#pragma once
// The parameters of a model as a table, a line for each kind of module:
//
//   encoder.layers.*.self_attention       6 x 1,050,624     6,303,744   14.3%

#include <string>

#include "core/parameters.h"

namespace calque {

// Modules share a line if their paths differ only in numbers and they have equally many parameters.
// Each part of a numbered module has one line: `self_attention` includes all projections of
// layers.0.self_attention. Works before allocate().
std::string parameter_table(const Parameters& parameters);

}  // namespace calque
