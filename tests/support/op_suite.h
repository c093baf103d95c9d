#pragma once
// Ops over several shapes: sentences of 0 and 1 tokens, one head, odd sizes, and sizes around the
// width of a SIMD vector. The gradient checks and the comparison of thread counts use the list.

#include <string>

#include "support/gradient_check.h"

namespace calque {

struct OpCase {
  std::string name;
  std::vector<Tensor> inputs;
  Function function;
};

// Every op with a backward pass, except mix_rows.
std::vector<OpCase> op_suite();

// The same ops, without swiglu but with mix_rows, on inputs large enough for several threads.
std::vector<OpCase> large_op_suite();

}  // namespace calque
