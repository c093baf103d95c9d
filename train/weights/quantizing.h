#pragma once
// A run with its weights stored in int8, in about a quarter of the bytes.

#include <string>

#include "train/task.h"
#include "train/weights/trained_run.h"

namespace calque {

struct QuantizedRun {
  int64_t bytes_before = 0, bytes = 0;  // of the weights
  // What rounding changed: the root mean square of the differences, divided by that of the numbers,
  // of all rounded parameters and of the one where it is largest.
  double rounding = 0, worst = 0;
  std::string worst_parameter;
};

// Writes a run folder `out` with one checkpoint, the weights of `place` (see open_run()) rounded as
// round_weights_to_int8() does. Throws an Error if `out` exists.
QuantizedRun quantize_weights(const std::string& place, const std::string& out,
                              const MakeTask& make_task);

}  // namespace calque
