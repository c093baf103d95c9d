#pragma once
// The parameters of a model as a table for people, a line for each kind of module:
//
//   encoder.layers.*.self_attention       6 x 1,050,624     6,303,744   14.3%

#include <string>

#include "core/parameters.h"

namespace calque {

// Modules that differ only by numbers in their path and have as many parameters share a line.
// Within a numbered module, such as a layer, the line is that of its part: `self_attention` holds
// all projections of layers.0.self_attention. Works before allocate().
std::string parameter_table(const Parameters& parameters);

}  // namespace calque
