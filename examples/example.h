#pragma once
// What all examples share: the command line, random tensors and measurements. An example checks its
// claim with require(), and exits with status 1 if the claim is false.

#include "core/tensor.h"

namespace calque {

// Calls example(path) with the only argument, the page to write, and prints the message of an
// exception. Returns the exit status.
int run_example(int arguments, char** argument, void (*example)(const char* path));

// Independent normal numbers; the same for the same seed.
Tensor random_normal(const Shape& shape, uint64_t seed, real deviation = 1);

// The largest absolute difference of two tensors of one shape.
double largest_difference(const Tensor& a, const Tensor& b);

// The mean entropy of rows that are probabilities, in nats.
double mean_entropy(const Tensor& probabilities);

}  // namespace calque
