#pragma once
// Matrix products, or blocks of them, as plain calls of OpenBLAS: the limit that the benchmarks
// compare with.

#include <cblas.h>

#include <cstdint>

#include "core/products/blas.h"

namespace calque {

// Computes a block of m rows and n columns of the product `whole`. `c` points to its first number,
// `a` to its first row of the left operand, `b` to its first column of the right one.
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
