#pragma once
// The highest rates at which this machine multiplies matrices and moves memory. The speed of
// training is compared with them.

#include "core/blas.h"

namespace calque {

// Floating-point operations a second of a large square product on all threads, measured once for
// each precision in a fraction of a second.
double best_product_rate(Precision precision = Precision::full);

// Bytes a second in reading and writing large arrays. Measured once.
double best_memory_rate();

}  // namespace calque
