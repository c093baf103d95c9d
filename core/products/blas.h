#pragma once
// Matrix products, computed by OpenBLAS, or by block_product() in bfloat16 and on processors whose
// AVX-512 OpenBLAS does not use; few_rows_product() computes those whose left side has only a few
// rows. This is the only interface to OpenBLAS, except in bench/.
//
//   gemm({x, rows, in}, {w, in, out}, y);                          // y = x w
//   gemm(transposed({x, rows, in}), {dy, rows, out}, dw.open());   // dw (+)= x^T dy
//
// The same product gives the same bits on any number of threads (tests/core/gemm_test.cpp).

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/precision.h"
#include "core/tensor.h"

namespace calque {

// A row-major matrix to read. `stride` is the distance between rows; by default they are adjacent.
struct Matrix {
  Matrix(const real* at, int64_t row_count, int64_t col_count, int64_t row_stride = 0)
      : data(at), rows(row_count), cols(col_count), stride(row_stride ? row_stride : col_count) {}
  Matrix(const Values& values, int64_t row_count, int64_t col_count)
      : Matrix(values.data(), row_count, col_count) {
    rounded = values.rounded();
    compact = values.compact();
  }

  const real* data;
  int64_t rows, cols, stride;
  bool flipped = false;                    // denotes the transpose
  const Int8Matrix* rounded = nullptr;     // used if the matrix is a right side as it was rounded
  const CompactMatrix* compact = nullptr;  // instead of `data`, in a whole right side
};

Matrix transposed(Matrix matrix);
// Rows [begin, end) of the matrix that m denotes.
Matrix rows_of(Matrix m, int64_t begin, int64_t end);

// The same matrix as an operand of block_product().
struct Strided;
Strided strided(const Matrix& matrix);

// Applied to each number of a product: adds a bias, one number for each column, then applies relu.
// block_product() does so while the number is in a register; other products take a second pass.
struct Finish {
  const real* bias = nullptr;
  bool relu = false;
  Finish from(int64_t col) const { return {bias ? bias + col : nullptr, relu}; }
};

// Sets the precision of gemm() on this thread while it is alive; the default is full. Products
// whose left side has only a few rows (core/products/few_rows.h) are always in full precision. A
// parallel loop that calls gemm() must set it on its threads, as core/ops/matmul.cpp does.
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

// c = scale a b, or c += scale a b if the sink adds. Rows of c are `stride` apart, or adjacent if
// it is 0.
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

// Records the non-empty calls of gemm() on this thread while it is alive, for benchmarks. Attention
// does not use gemm().
class GemmRecorder {
 public:
  explicit GemmRecorder(std::vector<GemmCall>& to);
  ~GemmRecorder();
  GemmRecorder(const GemmRecorder&) = delete;
  GemmRecorder& operator=(const GemmRecorder&) = delete;

 private:
  std::vector<GemmCall>* before_;
};

// The properties of OpenBLAS's kernels, which are named after a processor.
struct BlasKernels {
  bool fill_vectors;    // they use AVX-512 where the processor has it
  bool cuts_are_exact;  // a result has the same bits however it is cut into blocks
};
BlasKernels blas_kernels(std::string_view name);

// Whether block_product() replaces OpenBLAS, which does not use this processor's AVX-512.
bool own_product_is_faster();

// The implementation of the products: "OpenBLAS 0.3.21 SkylakeX".
std::string blas_description(Precision precision = Precision::full);

}  // namespace calque
