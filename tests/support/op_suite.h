#pragma once
// Every op over several shapes: sentences of 0 and 1 tokens, one head, odd sizes, and sizes around
// the width of a SIMD vector. The gradient checks, the comparison of thread counts and the
// sanitizers run the same list.

#include <string>

#include "support/gradient_check.h"

namespace calque {

struct OpCase {
  std::string name;
  std::vector<Tensor> inputs;
  Function function;
};

std::vector<OpCase> op_suite();

// The same ops on inputs large enough for several threads.
std::vector<OpCase> large_op_suite();

}  // namespace calque
