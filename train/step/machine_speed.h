#pragma once
// The highest rates at which this machine multiplies matrices and accesses memory, as limits with
// which the speed of training is compared.

#include "core/products/blas.h"

namespace calque {

// The FLOP/s of a product of large square matrices on all threads. The first call for each
// precision measures it in a fraction of a second.
double best_product_rate(Precision precision = Precision::full);

// The bytes per second read and written when large arrays are added on all threads. The first call
// measures it.
double best_memory_rate();

}  // namespace calque
