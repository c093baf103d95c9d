#pragma once
// Every op of the catalogue over several shapes, among them sentences of 0 and 1 tokens, one head,
// odd sizes, and sizes around the width of a vector. The same list serves the gradient checks, the
// comparison of thread counts, and the sanitizers.

#include <string>

#include "support/gradient_check.h"

namespace calque {

struct OpCase {
  std::string name;
  std::vector<Tensor> inputs;
  Function function;
};

std::vector<OpCase> op_suite();

// The same ops on larger inputs, so that loops are cut into many pieces: for the comparison of
// threads.
std::vector<OpCase> large_op_suite();

}  // namespace calque
