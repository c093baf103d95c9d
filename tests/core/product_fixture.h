#pragma once
// A product of matrices with gaps between their rows, computed in several ways and compared with
// sums in double.

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/memory/pool.h"
#include "core/products/blas.h"
#include "core/products/block_product.h"
#include "core/random.h"
#include "support/worse.h"

namespace calque {

struct ProductCase {
  int64_t m, n, k;
  bool flip_a = false, flip_b = false, add = false;
};

inline std::vector<real> numbers(int64_t count, uint64_t stream) {
  std::vector<real> values(static_cast<size_t>(count));
  fill_uniform({.seed = stream}, -1, 1, values);
  return values;
}

// The gaps between rows are NaN, so that a product that reads them is NaN.
inline std::vector<real> with_gaps(int64_t rows, int64_t cols, int64_t stride, uint64_t stream) {
  const std::vector<real> values = numbers(rows * cols, stream);
  std::vector<real> all(static_cast<size_t>(rows * stride), std::numeric_limits<real>::quiet_NaN());
  for (int64_t r = 0; r < rows; ++r) {
    std::copy_n(values.begin() + r * cols, cols, all.begin() + r * stride);
  }
  return all;
}

// The nearest number with 8 significant bits, by arithmetic: rint rounds ties to even.
inline double rounded_to_8_bits(double x) {
  if (x == 0 || !std::isfinite(x)) return x;
  int exponent = 0;
  const double fraction = std::frexp(x, &exponent);
  return std::ldexp(std::rint(std::ldexp(fraction, 8)), exponent - 8);
}

struct Product {
  explicit Product(const ProductCase& c, Precision p = Precision::full)
      : shape(c),
        precision(p),
        a(with_gaps(c.flip_a ? c.k : c.m, a_stride() - 3, a_stride(), 1)),
        b(with_gaps(c.flip_b ? c.n : c.k, b_stride() - 5, b_stride(), 2)),
        start(numbers(c.m * c_stride(), 3)),
        factors_a(factors(a)),
        factors_b(factors(b)) {}

  int64_t a_stride() const { return (shape.flip_a ? shape.m : shape.k) + 3; }
  int64_t b_stride() const { return (shape.flip_b ? shape.k : shape.n) + 5; }
  int64_t c_stride() const { return shape.n + 2; }
  ProductSize size() const { return {shape.m, shape.n, shape.k}; }

  Matrix left() const {
    const Matrix stored(a.data(), shape.flip_a ? shape.k : shape.m, a_stride() - 3, a_stride());
    return shape.flip_a ? transposed(stored) : stored;
  }
  Matrix right() const {
    const Matrix stored(b.data(), shape.flip_b ? shape.n : shape.k, b_stride() - 5, b_stride());
    return shape.flip_b ? transposed(stored) : stored;
  }
  std::vector<real> by_gemm(real scale, Finish finish = {}) const {
    const ProductPrecision rounding(precision);
    std::vector<real> c = start;
    gemm(left(), right(), {c.data(), shape.add}, scale, c_stride(), finish);
    return c;
  }
  // Split into blocks of this many rows and columns.
  std::vector<real> by_block_product(real scale, int64_t rows, int64_t cols) const {
    std::vector<real> c = start;
    Buffer<real> scratch(block_product_scratch(size(), strided(left()), precision));
    for (int64_t row = 0; row < shape.m; row += rows) {
      for (int64_t col = 0; col < shape.n; col += cols) {
        block_product({std::min(rows, shape.m - row), std::min(cols, shape.n - col), shape.k},
                      strided(left()).from(row, 0), strided(right()).from(0, col),
                      {{c.data() + row * c_stride() + col, shape.add}, c_stride(), scale},
                      scratch.data(), precision);
      }
    }
    return c;
  }
  std::vector<real> by_block_product(real scale) const {
    return by_block_product(scale, shape.m, shape.n);
  }

  // The largest difference from the sums in double; numbers between the rows must be untouched.
  double error(const std::vector<real>& c, double scale, Finish finish = {}) const {
    double worst = 0;
    for (int64_t i = 0; i < shape.m; ++i) {
      for (int64_t j = 0; j < c_stride(); ++j) {
        const auto at = static_cast<size_t>(i * c_stride() + j);
        double right_answer = double(start[at]);
        if (j < shape.n) {
          right_answer = (shape.add ? right_answer : 0) + scale * sum(i, j);
          if (finish.bias) right_answer += double(finish.bias[j]);
          if (finish.relu) right_answer = std::max(0.0, right_answer);
        }
        worst = worse(worst, std::abs(double(c[at]) - right_answer));
      }
    }
    return worst;
  }
  double sum(int64_t i, int64_t j) const {
    double total = 0;
    for (int64_t p = 0; p < shape.k; ++p) {
      const int64_t in_a = shape.flip_a ? p * a_stride() + i : i * a_stride() + p;
      const int64_t in_b = shape.flip_b ? j * b_stride() + p : p * b_stride() + j;
      total += factors_a[static_cast<size_t>(in_a)] * factors_b[static_cast<size_t>(in_b)];
    }
    return total;
  }
  // What the product multiplies, in double.
  std::vector<double> factors(const std::vector<real>& operand) const {
    std::vector<double> all(operand.begin(), operand.end());
    if (precision != Precision::full) std::ranges::transform(all, all.begin(), rounded_to_8_bits);
    return all;
  }

  ProductCase shape;
  Precision precision;
  std::vector<real> a, b, start;
  std::vector<double> factors_a, factors_b;
};

}  // namespace calque
