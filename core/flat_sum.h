#pragma once
// Sums of two buffers of gradients. In bfloat16 both buffers are rounded before they are added in
// float, so the sum does not depend on which of them was sent over a network in half the bytes.

#include <cstdint>
#include <span>

#include "core/products/blas.h"

namespace calque {

// a = a + b, on all threads.
void add_flat(std::span<real> a, std::span<const real> b, Precision precision);

#ifndef CALQUE_DOUBLE
// round_flat() rounds numbers to bfloat16, and add_rounded() adds such a buffer to one that is not
// yet rounded. Together they compute what add_flat() computes in bfloat16.
void round_flat(std::span<const real> from, std::span<uint16_t> to);
void add_rounded(std::span<real> a, std::span<const uint16_t> b);
#endif

}  // namespace calque
