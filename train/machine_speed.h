#pragma once
// The rate at which this machine multiplies matrices at best: what the speed of training is
// compared with.

namespace calque {

// Floating-point operations a second of a large square product on all threads, measured once in a
// fraction of a second.
double best_product_rate();

}  // namespace calque
