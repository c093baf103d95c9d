#pragma once
// The rates at which this machine multiplies matrices and moves memory at best: what the speed of
// training is compared with.

#include "core/blas.h"

namespace calque {

// Floating-point operations a second of a large square product on all threads, measured once for
// each precision in a fraction of a second.
double best_product_rate(Precision precision = Precision::full);

// Bytes a second: of large arrays being read and written, at their best. Measured once.
double best_memory_rate();

}  // namespace calque
