#pragma once
// Whether training.precision: bfloat16 makes training faster on this machine.

#include <cstdint>
#include <string>

#include "train/task.h"

namespace calque {

// How many times as fast the products of a slice are in bfloat16 as in float32. Measures the
// largest ones, forward and backward, in a tenth of a second or so; the forward pass of a sample of
// the micro-batch finds their sizes.
double bfloat16_gain(const Work& largest, int64_t slices);

// A line for the log if bfloat16 is slower, otherwise empty.
std::string bfloat16_note(double gain);

}  // namespace calque
