#pragma once
// The matrix products of one training step, as a list of shapes, and a process that does nothing
// else: the time it takes for the list is the floor under the step's time.
//
// The list has every product with a weight, forward and backward, and the logits in blocks of rows
// as the loss takes them. The products inside attention (each sentence's scores and weighted sums)
// are not in it, though they count as useful work elsewhere: a step pays for them above the floor.

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "nn/summary.h"

namespace calque {

// c [m, n] (+)= a b, summed over k; a flipped operand is stored as its transpose.
struct Product {
  int64_t m, n, k;
  bool a_flipped = false, b_flipped = false, add = false;
};

std::vector<Product> step_products(const TransformerOptions& options, int64_t source_tokens,
                                   int64_t target_tokens);

// bench/raw_products: OpenBLAS called through cblas in a loop, with the fastest kernels it has for
// this processor. It sleeps while it is not asked.
class RawProducts {
 public:
  RawProducts(const std::string& program, int threads);
  ~RawProducts();
  RawProducts(const RawProducts&) = delete;
  RawProducts& operator=(const RawProducts&) = delete;

  struct Answer {
    double seconds;  // for all products of the list, in order
    double rate;     // FLOPs a second, the best of any shape so far
  };
  Answer run(const std::vector<Product>& products);
  const std::string& kernels() const { return kernels_; }  // "SkylakeX"

 private:
  int process_ = 0;
  std::FILE* to_ = nullptr;
  std::FILE* from_ = nullptr;
  std::string kernels_;
};

}  // namespace calque
