#pragma once
// The GEMM floor of a training step: the time that its matrix products alone take. A separate
// process computes the products that a GemmRecorder listed during the step: all products with
// weights, forward and backward, but none inside attention.

#include <cstdio>
#include <string>
#include <vector>

#include "core/products/blas.h"

namespace calque {

// The process bench/raw_products, with OpenBLAS's fastest kernels for this processor. It sleeps
// between requests.
class RawProducts {
 public:
  RawProducts(const std::string& program, int threads);
  ~RawProducts();
  RawProducts(const RawProducts&) = delete;
  RawProducts& operator=(const RawProducts&) = delete;

  struct Answer {
    double seconds;  // for all products of the list, in order
    double rate;     // the best FLOPs per second of any shape so far
  };
  Answer run(const std::vector<GemmCall>& products);
  const std::string& kernels() const { return kernels_; }  // such as SkylakeX

 private:
  int process_ = 0;
  std::FILE* to_ = nullptr;
  std::FILE* from_ = nullptr;
  std::string kernels_;
};

}  // namespace calque
