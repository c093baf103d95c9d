#pragma once
// Matrix products: the only door to OpenBLAS, and to the product that stands in for it where it
// does not know the processor.
//
//   gemm({x, rows, in}, {w, in, out}, y);                          // y = x w
//   gemm(transposed({x, rows, in}), {dy, rows, out}, dw.open());   // dw (+)= x^T dy
//
// The same product gives the same bits on any number of threads (tests/core/gemm_test.cpp).

#include <cstdint>
#include <string>
#include <vector>

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

// What it stands for, element by element, as block_product() reads it.
struct Strided;
Strided strided(const Matrix& matrix);

// What becomes of each number of a product before it is stored for the last time, while it is still
// in a register: a bias is added, one number a column, and relu taken.
struct Finish {
  const real* bias = nullptr;
  bool relu = false;
  Finish from(int64_t col) const { return {bias ? bias + col : nullptr, relu}; }
};

// What the operands of products are rounded to; sums are always whole. bfloat16 keeps 8 bits of
// precision and is up to twice as fast where processor and build have AVX512-BF16. The double build
// has full precision alone.
enum class Precision { full, bfloat16 };

// While it lives, gemm() on this thread works in a precision; elsewhere, in full. Products whose
// left side has only a few rows (core/few_rows.h) are made in full in any case. A loop whose pieces
// call gemm() hands it on to them, as core/ops/matmul.cpp does.
class ProductPrecision {
 public:
  explicit ProductPrecision(Precision precision);
  ~ProductPrecision();
  static Precision current();
  ProductPrecision(const ProductPrecision&) = delete;
  ProductPrecision& operator=(const ProductPrecision&) = delete;

 private:
  Precision before_;
};

// c = scale a b, or c += scale a b when the sink adds. Rows of c are `stride` apart, adjacent if 0.
void gemm(const Matrix& a, const Matrix& b, Sink c, real scale = 1, int64_t stride = 0,
          Finish finish = {});
inline void gemm(const Matrix& a, const Matrix& b, real* c) { gemm(a, b, Sink{c, false}); }

// A call of gemm(): c [m, n] (+)= a b, summed over k.
struct GemmCall {
  int64_t m, n, k;
  bool a_transposed = false, b_transposed = false;  // how the operands are stored
  bool accumulate = false;
  bool operator==(const GemmCall&) const = default;
};

// While it lives, lists the calls of gemm() on this thread that have work to do, in their order:
// the products of a training step, for benchmarks. Attention does not use gemm().
class GemmRecorder {
 public:
  explicit GemmRecorder(std::vector<GemmCall>& to);
  ~GemmRecorder();
  GemmRecorder(const GemmRecorder&) = delete;
  GemmRecorder& operator=(const GemmRecorder&) = delete;

 private:
  std::vector<GemmCall>* before_;
};

// Whether products are made by block_product() of this library: where OpenBLAS does not know the
// processor.
bool own_product_is_faster();

// What products are made with, for people: "OpenBLAS 0.3.21 SkylakeX".
std::string blas_description(Precision precision = Precision::full);

}  // namespace calque
