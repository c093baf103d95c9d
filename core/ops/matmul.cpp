// Products of matrices, alone or in batches. For y = A B: dA = dy B^T and dB = A^T dy; the gradient
// of a transposed operand is transposed back.

#include "core/ops.h"
#include "core/products/blas.h"
#include "core/profile.h"
#include "core/threads/parallel.h"

namespace calque {
namespace {

struct Product {
  int64_t count;           // of matrices
  int64_t a_rows, a_cols;  // as stored
  int64_t b_rows, b_cols;
  bool flip_a, flip_b;
  int64_t m() const { return flip_a ? a_cols : a_rows; }
  int64_t n() const { return flip_b ? b_rows : b_cols; }
  int64_t k() const { return flip_a ? a_rows : a_cols; }
  Matrix a(const real* data, int64_t i) const {
    const Matrix matrix(data + i * a_rows * a_cols, a_rows, a_cols);
    return flip_a ? transposed(matrix) : matrix;
  }
  // A single b may be rounded or compact.
  Matrix b(const Values& values, int64_t i) const {
    Matrix matrix(values, b_rows, b_cols);
    if (count > 1) matrix = {values.data() + i * b_rows * b_cols, b_rows, b_cols};
    return flip_b ? transposed(matrix) : matrix;
  }
  Matrix y(const real* data, int64_t i) const { return {data + i * m() * n(), m(), n()}; }
};

int64_t leading(const Shape& shape) {
  int64_t product = 1;
  for (int i = 0; i + 2 < shape.axes(); ++i) product *= shape[i];
  return product;
}

Product plan(const Tensor& a, const Tensor& b, Transpose transpose) {
  const Shape& s = a.shape();
  const Shape& t = b.shape();
  bool agree = s.axes() >= 2 && s.axes() == t.axes();
  for (int i = 0; agree && i + 2 < s.axes(); ++i) agree = s[i] == t[i];
  require(agree, "matmul: {} and {} are not two matrices, or batches of equal size", s, t);
  const Product p{leading(s),
                  s[s.axes() - 2],
                  s.cols(),
                  t[t.axes() - 2],
                  t.cols(),
                  transpose == Transpose::left || transpose == Transpose::both,
                  transpose == Transpose::right || transpose == Transpose::both};
  require(p.k() == (p.flip_b ? p.b_cols : p.b_rows), "matmul: {}{} times {}{}", s,
          p.flip_a ? " transposed" : "", t, p.flip_b ? " transposed" : "");
  return p;
}

// Runs a batch of products in parallel, `each` products per matrix. A single product runs in
// parallel in gemm().
template <class Body>
void for_matrices(const Product& p, int each, Body&& body) {
  if (p.count == 1) return body(0);
  const int64_t work = p.m() * p.n() * p.k();
  count_work({.flops = 2.0 * each * static_cast<double>(p.count * work)});
  const Precision precision = ProductPrecision::current();  // of the calling thread
  parallel_for(p.count, rows_per_chunk(work / 16 + 1), [&](int64_t b, int64_t e) {
    const WorkIsCounted counted;
    const ProductPrecision rounding(precision);
    for (int64_t i = b; i < e; ++i) body(i);
  });
}

}  // namespace

Tensor matmul(const Tensor& a, const Tensor& b, Transpose transpose) {
  const Product p = plan(a, b, transpose);
  std::array<int64_t, Shape::most_axes> sizes{};
  std::ranges::copy(a.shape().sizes(), sizes.begin());
  const int axes = a.shape().axes();
  sizes[axes - 2] = p.m();
  sizes[axes - 1] = p.n();
  Tensor y(Shape(std::span<const int64_t>(sizes.data(), static_cast<size_t>(axes))));
  for_matrices(p, 1, [&](int64_t i) {
    gemm(p.a(a.data(), i), p.b(b.values(), i), y.data() + i * p.m() * p.n());
  });
  return record(
      "matmul", y, {&a, &b},
      [p, a = a.values(), b = b.values(), da = a.gradient(), db = b.gradient()](Gradient& dy) {
        const Sink to_a = da.open_if_wanted(), to_b = db.open_if_wanted();
        for_matrices(p, (da ? 1 : 0) + (db ? 1 : 0), [&](int64_t i) {
          const Matrix g = p.y(dy.data(), i);
          const Matrix left = p.a(a.data(), i), right = p.b(b, i);
          if (da) {
            const Sink out{to_a.data + i * p.a_rows * p.a_cols, to_a.add};
            p.flip_a ? gemm(right, transposed(g), out) : gemm(g, transposed(right), out);
          }
          if (db) {
            const Sink out{to_b.data + i * p.b_rows * p.b_cols, to_b.add};
            p.flip_b ? gemm(transposed(g), left, out) : gemm(transposed(left), g, out);
          }
        });
      });
}

}  // namespace calque
