#pragma once
// Matrix products: the only door to OpenBLAS.
//
//   gemm({x, rows, in}, {w, in, out}, y);                          // y = x w
//   gemm(transposed({x, rows, in}), {dy, rows, out}, dw.open());   // dw (+)= x^T dy
//
// The same product gives the same bits on any number of threads (tests/core/determinism_test.cpp).

#include <cstdint>
#include <string>

#include "core/tensor.h"

namespace calque {

// A row-major matrix to read. `stride` is the distance between rows; by default they are adjacent.
struct Matrix {
  Matrix(const real* at, int64_t row_count, int64_t col_count, int64_t row_stride = 0)
      : data(at), rows(row_count), cols(col_count), stride(row_stride ? row_stride : col_count) {}
  Matrix(const Values& values, int64_t row_count, int64_t col_count)
      : Matrix(values.data(), row_count, col_count) {}

  const real* data;
  int64_t rows, cols, stride;
  bool flipped = false;  // stands for its transpose
};

Matrix transposed(Matrix matrix);

// c = scale a b, or c += scale a b when the sink adds. Rows of c are `stride` apart, adjacent if 0.
void gemm(const Matrix& a, const Matrix& b, Sink c, real scale = 1, int64_t stride = 0);
inline void gemm(const Matrix& a, const Matrix& b, real* c) { gemm(a, b, Sink{c, false}); }

// What the products are made with, for people: "OpenBLAS 0.3.21 SkylakeX".
std::string blas_description();

// OpenBLAS chooses its kernels when it is loaded, and some versions do not know this CPU and leave
// half of its speed unused. If so, starts the running program again with the better choice made
// (once; the environment variable OPENBLAS_CORETYPE tells it, and one that is already set is
// respected). To be called first thing in main(); a program that must not be restarted sets the
// variable itself.
void use_fastest_blas_kernels(char** arguments);

}  // namespace calque
