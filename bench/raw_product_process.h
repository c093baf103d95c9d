#pragma once
// The floor under a training step: a process that computes the step's matrix products and nothing
// else. The products are those that a GemmRecorder listed during the step: every product with a
// weight, forward and backward, and the logits in the blocks of rows that the loss takes. The
// products inside attention are not among them, though they count as useful work elsewhere.

#include <cstdio>
#include <string>
#include <vector>

#include "core/blas.h"

namespace calque {

// bench/raw_products: calls OpenBLAS through cblas in a loop, with the fastest kernels it has for
// this processor. It sleeps between requests.
class RawProducts {
 public:
  RawProducts(const std::string& program, int threads);
  ~RawProducts();
  RawProducts(const RawProducts&) = delete;
  RawProducts& operator=(const RawProducts&) = delete;

  struct Answer {
    double seconds;  // for all products of the list, in order
    double rate;     // FLOPs per second, the best of any shape so far
  };
  Answer run(const std::vector<GemmCall>& products);
  const std::string& kernels() const { return kernels_; }  // "SkylakeX"

 private:
  int process_ = 0;
  std::FILE* to_ = nullptr;
  std::FILE* from_ = nullptr;
  std::string kernels_;
};

}  // namespace calque
