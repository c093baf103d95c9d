#pragma once
// A matrix product as one plain call of OpenBLAS on all its threads: the limit that the benchmarks
// compare with.

#include <cblas.h>

#include <cstdint>

#include "core/blas.h"

namespace calque {

// Computes m rows and n columns of the product `whole`, which begin at a, b and c.
inline void raw_sgemm(const GemmCall& whole, int64_t m, int64_t n, const float* a, const float* b,
                      float* c) {
  const auto size = [](int64_t value) { return static_cast<blasint>(value); };
  cblas_sgemm(CblasRowMajor, whole.a_transposed ? CblasTrans : CblasNoTrans,
              whole.b_transposed ? CblasTrans : CblasNoTrans, size(m), size(n), size(whole.k), 1, a,
              size(whole.a_transposed ? whole.m : whole.k), b,
              size(whole.b_transposed ? whole.k : whole.n), whole.accumulate ? 1 : 0, c,
              size(whole.n));
}

inline void raw_sgemm(const GemmCall& product, const float* a, const float* b, float* c) {
  raw_sgemm(product, product.m, product.n, a, b, c);
}

inline double flops(const GemmCall& product) {
  return 2.0 * double(product.m) * double(product.n) * double(product.k);
}

}  // namespace calque
