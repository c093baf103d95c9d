#pragma once
// A run with its weights stored in int8, in about a quarter of the bytes.

#include <string>

#include "train/task.h"
#include "train/weights/trained_run.h"

namespace calque {

// What rounding did to one parameter, or to all: root mean squares of the differences and of the
// numbers.
struct RoundingError {
  double difference = 0, numbers = 0;
  double relative() const { return numbers > 0 ? difference / numbers : 0; }
};

struct QuantizedRun {
  int64_t bytes_before = 0, bytes = 0;  // of the weights
  RoundingError all, worst;             // of all rounded parameters, and of one
  std::string worst_parameter;
};

// Writes a run folder `out` with one checkpoint, the weights of `place` (see open_run()) rounded as
// round_weights_to_int8() does. Throws an Error if `out` exists.
QuantizedRun quantize_weights(const std::string& place, const std::string& out,
                              const MakeTask& make_task);

}  // namespace calque
